import type { Judgement } from '../model/judgement.ts';

/** `passes mustpass 1.0 (profile full, API 0.81): 2,410 of 2,410, 269 not offered`. */
export function judgementLine({ passes, version, profile, apiMinor, counts, obstacles }: Judgement): string {
  const api = apiMinor === undefined ? 'API unknown' : `API 0.${apiMinor}`;
  const asked = counts.passed + counts.failed + counts.missing + counts.waived;
  const parts = [
    ...(passes ? [] : [`${number(counts.failed)} failed`, `${number(counts.missing)} missing`]),
    `${number(counts.passed)} of ${number(asked)}${passes ? '' : ' passed'}`,
    ...(counts.waived > 0 ? [`${number(counts.waived)} waived`] : []),
    ...(counts['not-offered'] > 0 ? [`${number(counts['not-offered'])} not offered`] : []),
    ...obstacles,
  ];
  return `${passes ? 'passes' : 'does not pass'} mustpass ${version} (profile ${profile}, ${api}): ${parts.join(', ')}`;
}

const number = (value: number): string => value.toLocaleString('en-US');
