/** Probes of this area and what each checks. Pure data: suites are checked against it without loading a plugin. */
export const NAMES: Readonly<Record<string, string>> = {};
