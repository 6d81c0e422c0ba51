/**
 * What looks like a credential is shown nowhere: not in the log, not in reports, not on a terminal. People put credentials into
 * variables, create options, flags inside variables, URLs and headers, and plugins quote them in their messages.
 */
import type { Environment } from './environment.ts';
import { mapTexts } from './map-texts.ts';
import { isSecret, isSecretParameter, isSecretVariable } from './secret-names.ts';

/** Replaces what looks like a secret. */
export const REDACTED = '[redacted]';

/** Tokens that services recognise by their beginning, and JSON web tokens. Before them may be an escaped end of a line. */
const TOKENS =
  /(?:(?<![A-Za-z\d])|(?<=\\[nrt]))(?:(?:gh[opsur]_|github_pat_|gl(?:pat|rt|dt|cbt|ptt|ft|soat)-|xox[abeprs]-|xapp-|hf_|npm_|pypi-|dckr_(?:pat|oat)_|(?:sk|rk|pk)_(?:live|test)_|sk-(?:ant-|proj-)?|nvapi-|hv[bsr]\.|shp(?:at|ca|pa|ss)_|dop_v1_|lin_api_|figd_|r8_|gsk_|tskey-|AGE-SECRET-KEY-|ATATT3|PMAK-|rubygems_|SG\.)[\w.=-]{8,}|(?:AKIA|ASIA|AROA)[A-Z\d]{8,}|AIza[\w-]{8,}|ya29\.[\w-]{8,}|EAAC[A-Za-z\d]{20,}|eyJ[\w-]{10,}\.[\w-]*(?:\.[\w-]*){0,3})/g;

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g;

/** A run of letters of both cases and digits that is neither words nor a part of a path. */
const RANDOM = /(?<![\w/.+=-])(?=[\w+=-]*\d)(?=[\w+=-]*[a-z])(?=[\w+=-]*[A-Z])[\w+=-]*[A-Za-z\d+]{16}[\w+=-]*/g;

const URLS = /\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s"'`<>\\]+/gi;
/** URLs that are secrets themselves, after their host. */
const HOOKS =
  /^([a-z]+:\/\/(?:hooks\.[^/]+|[^/]+(?=\/(?:[\w.-]*\/){0,4}(?:webhook\w{0,3}\/|hooks?\/|bot\d+:|with\/key\/))))\/.*/i;

const HEADERS =
  /(?:\b|(?<=\\[nrt]))((?:Proxy-)?Authorization)(\\?["']?\s*[:=]\s*\\?["']?)(?:(?:Digest|AWS4|OAuth)[^\n\r]*|(?:[A-Za-z][\w-]*\s+(?=\S{6}))?[^\s"'\\]+)/gi;
const COOKIES = /(?:\b|(?<=\\[nrt]))((?:Set-)?Cookie)(\\?["']?\s*[:=]\s*\\?["']?)[^\s;"'\\]+(?:;\s*[^\s;"'\\]+)*/gi;
const BEARER = /(?:\b|(?<=\\[nrt]))(Bearer|Basic)(\s+)(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}/gi;
const LOGIN = /\b(login\s+\S+\s+password\s+|(?:^|\s)(?:-u|--user)[ =][^\s:]+:)[^\s\\]+/g;

/** `name=`, `"name":`, `name:` and `--name `, before a value. */
const NAMES =
  /(?:(?<![\w.-])|(?<=\\[nrt]))(?:(-{0,2}[A-Za-z][\w.-]*)(?::\w+)?(\\*["'])?[^\S\n]*([=:])(?![:/])[^\S\n]*|(--?[A-Za-z][\w-]*)\s+(?=[^\s-]))/g;
/** A value, by the quote before it. */
const VALUES: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\]|\\(?!"))*/y,
  "'": /[^']*/y,
  '': /(?:[^\s&;"'<>|\\]|\\(?![n"']))*/y,
};
/** As much of a value as judges it. */
const JUDGED = 64;

/** Only text that has one of these is searched. */
const HINT =
  /token|secret|passw|passphrase|passcode|pwd|cred|cookie|key|auth|licen[cs]e|sas_|signature|jwt|bearer|basic |login |-u |:\/\/|-----BEGIN|eyJ|gh[opsur]_|gl\w{2,5}-|xox|xapp-|hf_|npm_|pypi-|dckr_|_live_|_test_|sk-|nvapi-|hv[bsr]\.|shp\w\w_|dop_v1_|lin_api_|figd_|r8_|gsk_|AKIA|ASIA|AROA|AIza|ya29\.|EAAC|ATATT3|PMAK-|rubygems_|SG\./i;

/** Values that this process was given as secrets, wherever they turn up. */
const known = new Set<string>();
let knownPattern: RegExp | undefined;

/**
 * Remembers values that are secrets by their names, also in words of commands, so that they are recognised without them.
 * @param judge stricter for variables, of which a process has many that are not about the plugin
 */
export function rememberSecrets(values: Environment, words: readonly string[] = [], judge = isSecret): void {
  const inside = [...words, ...Object.values(values).flatMap((value) => value?.split(/\s+/) ?? [])];
  const pairs = inside.flatMap((word) => {
    const [, name, value] = /^(?:--[\w-]+=)?([\w.-]+)(?::\w+)?=(.+)$/s.exec(word) ?? [];
    return name && value ? [[name, value] as const] : [];
  });
  for (const [name, value = ''] of [...Object.entries(values), ...pairs]) {
    if (!judge(name, value)) continue;
    for (const line of value.split('\n').map((text) => text.trim())) {
      if (line.length >= 6 && !/^[a-z]{1,11}$/.test(line) && !line.startsWith('-----'))
        known.add(Buffer.from(line).toString());
    }
  }
  const texts = [
    ...new Set([...known].flatMap((text) => [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)])),
  ];
  texts.sort((a, b) => b.length - a.length);
  knownPattern =
    texts.length === 0
      ? undefined
      : new RegExp(texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}

/** A text without what looks like a credential. */
export function redact(text: string): string {
  const unknown = knownPattern ? text.replace(knownPattern, REDACTED) : text;
  if (!HINT.test(unknown)) return unknown;
  const parts = unknown
    .replace(PRIVATE_KEY, REDACTED)
    .replace(URLS, withoutSecretParts)
    .replace(HEADERS, `$1$2${REDACTED}`)
    .replace(COOKIES, `$1$2${REDACTED}`)
    .replace(BEARER, `$1$2${REDACTED}`)
    .replace(LOGIN, `$1${REDACTED}`);
  return withoutValues(parts).replace(TOKENS, REDACTED);
}

function withoutSecretParts(url: string): string {
  return url
    .replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, `$1${REDACTED}@`)
    .replace(HOOKS, `$1/${REDACTED}`)
    .replace(/([?&;#])([\w.%-]+)=([^&;#]*)/g, (all, mark: string, name: string, value: string) =>
      isSecretParameter(name, value) ? `${mark}${name}=${REDACTED}` : all,
    );
}

/** Only the value of a secret is read to its end, and once: the time is linear. */
function withoutValues(text: string): string {
  let done = 0;
  let result = '';
  NAMES.lastIndex = 0;
  for (let match = NAMES.exec(text); match; match = NAMES.exec(text)) {
    const [, name = match[4]!, quote, sign = ' '] = match;
    const opening = /^\\*"|^'|^/.exec(text.slice(NAMES.lastIndex, NAMES.lastIndex + JUDGED))![0];
    const start = NAMES.lastIndex + opening.length;
    const form = VALUES[opening.slice(-1)]!;
    const value = valueAt(form, text.slice(start, start + JUDGED), 0);
    const certain = sign === '=' || quote !== undefined || isCertain(name, sign, value);
    if (!certain || value.startsWith(REDACTED) || !isSecret(name, value)) continue;
    result += text.slice(done, start) + REDACTED;
    done = start + valueAt(form, text, start).length;
    NAMES.lastIndex = done;
  }
  return done === 0 ? text : result + text.slice(done);
}

function valueAt(form: RegExp, text: string, at: number): string {
  form.lastIndex = at;
  return form.exec(text)![0];
}

/** In prose a colon or a space follows many a word. */
const isCertain = (name: string, sign: string, value: string): boolean =>
  /^(?=.*\d).{6}/s.test(value) && (sign === ' ' || !/^tokens?$/i.test(name));

/** The value of a variable, or of an option, without what looks like a credential. */
export function redactVariable(name: string, value: string): string {
  const token = isSecretVariable(name, value) || value.replace(TOKENS, '') !== value || value.includes('-----BEGIN');
  return token || value.replace(RANDOM, '') !== value ? REDACTED : redact(value);
}

/** Variables without what looks like a credential. */
export const redactVariables = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, redactVariable(name, value)]));

/** Any data without what looks like a credential, in names and texts. */
export const redactAll = <T>(value: T): T =>
  mapTexts(value, (text, name) => (isSecret(name, text) ? REDACTED : redact(text)));
