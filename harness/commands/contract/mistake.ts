import { type Known, type Mention, mentionOf } from './objects.ts';

/** Something that one side of the API did and must not do. */
export interface Mistake<Rule extends string = string> {
  rule: Rule;
  /** Id in suites/requirements.yaml. */
  requirement: string;
  /** The call; undefined for what shows at the end only. */
  call: Mention | undefined;
  /** One sentence. */
  message: string;
  /** The calls that made, deleted and ended the object. */
  history: string[];
  /** How often it happened at this call site. */
  times: number;
}

/** Messages of one rule; the call sites beyond are counted. */
const MOST_OF_A_RULE = 10;

/** The mistakes of one side in a recording, one of each rule and call site. */
export class Mistakes<Rule extends string> {
  readonly #requirements: Readonly<Record<Rule, string>>;
  readonly #sites = new Map<string, Mistake<Rule>>();

  /** @param requirements what each rule checks */
  constructor(requirements: Readonly<Record<Rule, string>>) {
    this.#requirements = requirements;
  }

  add(
    rule: Rule,
    call: Mention | undefined,
    message: string,
    object?: Pick<Known, 'type' | 'made' | 'deleted' | 'ended'>,
  ): void {
    const site = [rule, call?.function, call?.location, object?.type, object?.made?.function].join('|');
    const known = this.#sites.get(site);
    if (known) known.times++;
    else
      this.#sites.set(site, {
        rule,
        requirement: this.#requirements[rule],
        call: call && mentionOf(call),
        message,
        history: object ? historyOf(object) : [],
        times: 1,
      });
  }

  /** Those that are shown, in the order in which they were first made, and how many call sites of each rule are not. */
  result(): { mistakes: Mistake<Rule>[]; more: Partial<Record<Rule, number>> } {
    const all = [...this.#sites.values()];
    const mistakes = all.filter((one) => all.filter(({ rule }) => rule === one.rule).indexOf(one) < MOST_OF_A_RULE);
    const more: Partial<Record<Rule, number>> = {};
    for (const { rule } of all.filter((one) => !mistakes.includes(one))) more[rule] = (more[rule] ?? 0) + 1;
    return { mistakes, more };
  }
}

/** How an object is named: its type and address. */
export const nameOf = ({ type, at }: Pick<Known, 'type' | 'at'>): string => `${type} 0x${at.toString(16)}`;

/** A call and its place in the recording. */
const callOf = ({ function: name, entered, thread, location }: Mention): string =>
  `${name} (record ${entered}, thread ${thread}${location === undefined ? '' : `, ${location}`})`;

function historyOf({ made, deleted, ended }: Pick<Known, 'made' | 'deleted' | 'ended'>): string[] {
  return [
    made ? `returned by ${callOf(made)}` : 'returned before the recording, or by a call that it does not have',
    ...(deleted ? [`deleted by ${callOf(deleted)}`] : []),
    ...(ended
      ? [
          ended.with
            ? `gone with ${nameOf(ended.with)}, destroyed by ${callOf(ended)}`
            : `destroyed by ${callOf(ended)}`,
        ]
      : []),
  ];
}
