/** The parameters in the name of a case: `bounded[op=sine,dtype=f32]`. */
export function parametersOf(name: string): [name: string, value: string][] {
  const inside = /\[([^\]]*)\]$/.exec(name)?.[1];
  if (inside === undefined) return [];
  // A value may hold a comma; a name and an equals sign begin the next parameter.
  return inside.split(/,(?=[a-z]\w*=)/).map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at), part.slice(at + 1)];
  });
}
