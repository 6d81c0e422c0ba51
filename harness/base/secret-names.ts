/** Which names say that a value is a secret, of variables, options, flags, header fields and parameters of URLs. */

/** Wherever they are in a name. */
const STRONG =
  /passw(?:or)?d|passphrase|passcode|secret|cookie|(?:api|access|account|auth|private|signing|encryption|master)_?keys?(?=_)|_(?:jwt|bearer|authorization)_|shared_access_signature|_amz_signature|_goog_signature/;

/** Of these a switch, a number or a path is none. */
const USUAL =
  /_pwd_|credentials?(?=_)|_creds?_|licen[cs]es?(?=_)|tokens?(?:_(?:value|b64|base64|\d+))?_$|_o?auth_|_sas_(?:key|token)/;

/** As words of whole names only: in running text they are everyday words. */
const OF_VARIABLES = /keys?_$|private|_pass_$|_sig_$|signature_$|_auth/;

/** Names that end like this are about a secret, and are none. */
const ABOUT =
  /_(?:file|path|dir|directory|url|uri|endpoint|host|port|sock|socket|name|type|kind|count|size|length|len|limit|ttl|timeout|expiry|enabled|mode|algorithm|provider|helper|server|policy|version)_$|_(?:token|auth|key|cookie|license|credential)_id_$/;

/** Tokens of language models, lexers and flow control; in programs they are values such as `%arg0`. */
const OTHER_TOKENS =
  /(?:^|_)(?:max|min|num|n|total|new|next|pad|eos|bos|unk|mask|sep|cls|special|stop|end|begin|start|input|output|prompt|per|ordering|execution|unexpected)_(?:[a-z]+_)?tokens?_$|^_tokens_$/;

const SWITCH =
  /^(?:|%\w+|0x[\da-f]{1,16}n?|true|false|yes|no|on|off|none|null|auto|default|enabled|disabled|required|optional|-?\d{1,6})[,.)\]}]*$/i;
const PATH = /^(?:~|\.{0,2}\/|[A-Za-z]:[\\/])|^\d+@[\w.-]+$/;

/** `AWSAccessKeyId` is `_aws_access_key_id_`. */
const wordsOf = (name: string): string =>
  `_${name.replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3_$2').replace(/[^A-Za-z\d]+/g, '_')}_`
    .replace(/__+/g, '_')
    .toLowerCase();

/** Whether what a name says in running text is a secret, as in `token=…`. */
export function isSecret(name: string, value: string, more = /$^/): boolean {
  const words = wordsOf(name);
  if (ABOUT.test(words) && !words.includes('access_key_id') && !words.includes('secret_id')) return false;
  if (STRONG.test(words)) return !/^(?:|true|false|-?\d|[~.]*(?:\/[a-z\d_.@-]+){2,}\/?)$/.test(value);
  const usual = USUAL.test(words) || more.test(words);
  return usual && !OTHER_TOKENS.test(words) && !SWITCH.test(value) && !PATH.test(value);
}

/** Whether the value of a variable, or of an option, is a secret by its name. */
export const isSecretVariable = (name: string, value: string): boolean => isSecret(name, value, OF_VARIABLES);

/** Whether a parameter of a URL is. */
export const isSecretParameter = (name: string, value: string): boolean =>
  /^(?:sig|signature|key|code|auth|pass|pw|pwd|st|skoid)$|(?:signature|credential|accessid|access_key_id)$/i.test(
    name,
  ) || isSecretVariable(name, value);
