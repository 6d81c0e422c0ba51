/** As few globs as possible for a set of cases: a family of which all cases are included is one glob. */
export function globsOf(chosen: readonly string[], all: readonly string[]): string[] {
  const wanted = new Set(chosen);
  const families = new Map<string, string[]>();
  for (const id of all) families.set(familyOf(id), [...(families.get(familyOf(id)) ?? []), id]);
  const globs = chosen.map((id) => {
    const family = families.get(familyOf(id)) ?? [id];
    return family.every((one) => wanted.has(one)) ? familyOf(id) : id;
  });
  return [...new Set(globs)];
}

/** A case id without parameters; as a glob it matches all combinations. */
export const familyOf = (id: string): string => id.split('[', 1)[0]!;
