/**
 * Data with every text in it changed. What has not changed is the same object.
 * @param change gets a text, and the name of the member that it is or is listed in
 */
export function mapTexts<T>(value: T, change: (text: string, name: string) => string, name = ''): T {
  if (typeof value === 'string') return change(value, name) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list = value.map((item) => mapTexts(item, change, name));
    return list.some((item, i) => item !== value[i]) ? (list as T) : value;
  }
  const entries = Object.entries(value).map(([key, item]) => [key, item, mapTexts(item, change, key)] as const);
  if (entries.every(([, before, after]) => before === after)) return value;
  return Object.fromEntries(entries.map(([key, , after]) => [key, after])) as T;
}
