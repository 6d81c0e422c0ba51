/** Probes of this area and what each checks. Pure data: suites are checked against it without loading a plugin. */
export const NAMES: Readonly<Record<string, string>> = {
  'clients-side-by-side':
    'Clients of all plugins work at once, and those that are left work after others are destroyed.',
  'process-of-all': 'A process of its own goes through the life of all plugins and exits.',
  'results-as-alone': 'Programs give the same bits in company as alone.',
  'state-by-plugin': 'No plugin changes what the others find in the process.',
};
