import type { Field } from '../../knowledge/abi/index.ts';

/** The answer of a call from which a value of a case comes. */
export interface Origin {
  call: string;
  /** The value in words: `platform_name of PJRT_Client_PlatformName`. */
  text: string;
  /** Of a field of the struct of the call: how its numbers are to be shown. */
  field?: Field;
  /** The answer that gave the object that was asked. */
  asked?: Origin;
  /** Answers of several objects, as a list. */
  listed?: true;
}

/** A field of the answer of a call. @param asked where the object comes from that was asked */
export const answered = (call: string, what: string, field?: Field, asked?: Origin): Origin => ({
  ...{ call, text: `${what} of ${call}` },
  ...(field && { field }),
  ...(asked && { asked }),
});

/** The values in words. What is in a list of answers depends on who gave the objects that were asked. */
export const originText = (origins: readonly Origin[]): string =>
  [...new Set(origins.map((origin) => (origin.listed ? textAboutAsked(origin) : origin.text)))].join(', ');

/** The same with what was asked, for an answer that another one is compared with. */
export const textAboutAsked = ({ text, asked }: Origin): string =>
  asked ? `${text} for what ${asked.call} returned` : text;

/** The answers, and those that gave the objects of lists. */
export const withAsked = (origins: readonly Origin[]): Origin[] =>
  origins.flatMap((origin) => (origin.listed && origin.asked ? [origin, origin.asked] : [origin]));

/** The functions whose answers contradict each other; with one function, that one is to be blamed. */
export function blamed(...origins: readonly (readonly Origin[])[]): { call?: string; calls?: string[] } {
  const calls = [...new Set(origins.flat().map(({ call }) => call))];
  if (calls.length > 1) return { calls };
  return calls[0] === undefined ? {} : { call: calls[0] };
}
