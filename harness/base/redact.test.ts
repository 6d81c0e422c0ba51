import { describe, expect, test } from 'vitest';
import { mapTexts } from './map-texts.ts';
import { REDACTED, redact, redactAll, redactVariable, rememberSecrets } from './redact.ts';

const S = 'Zk3vQ9xT7bLm2'; // the credential, wherever it is
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKC\nAQEA\n-----END RSA PRIVATE KEY-----';

describe('credentials in variables', () => {
  test.each([
    ['PJRT_API_KEY', S],
    ['FOO_CRED', S],
    ['FOO_CREDS', S],
    ['VENDOR_LICENSE', 'ABCD-EFGH-1234'],
    ['VENDOR_LICENCE_KEY', S],
    ['XLA_APIKEY', S],
    ['MYTOKEN', S],
    ['HF_TOKEN', S],
    ['DB_PASS', S],
    ['DBPASSWORD', S],
    ['CLIENT_SECRET', S],
    ['AWS_SECRET_ACCESS_KEY', '/bPxRfiCYEXAMPLEKEY'],
    ['AWS_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE'],
    ['AZURE_STORAGE_SAS_TOKEN', `sv=2022&sig=${S}`],
    ['SESSION_COOKIE', S],
    ['XLA_AUTH', 'x'],
    ['PJRT_X', JWT],
    ['PJRT_Y', PEM],
    ['PJRT_Z', `x ${'aB3'.repeat(12)}`],
    ['PJRT_PIN_PASSWORD', '1234567'],
  ])('%s', (name, value) => expect(redactVariable(name, value)).toBe(REDACTED));
});

describe('credentials in texts', () => {
  test.each([
    ['a flag inside a variable', `--xla_dump_to=/tmp/x --token=${S} --y=1`],
    ['a flag and a word', `server --api-key ${S}`],
    ['a flag with quotes', `--password="${S} and ${S}"`],
    ['a create option', `api_key=${S}`],
    ['a typed create option', `api_key:string=${S}`],
    ['an argument', `--option auth_token=${S}`],
    ['JSON', `{"api_key": "${S}", "n": 1}`],
    ['JSON in JSON', `{\\"client_secret\\":\\"${S}\\"}`],
    ['YAML', `password: ${S}`],
    ['camel case', `accessToken=${S}`],
    ['user and password of a URL', `https://me:${S}@example.com/x`],
    ['a password with an at sign', `redis://:a@${S}@cache:6379/0`],
    ['a token as user', `https://${S}@github.com/a/b`],
    [
      'AWS, signed',
      `https://b.s3.amazonaws.com/k?X-Amz-Credential=${S}%2F2&X-Amz-Signature=${S}&X-Amz-Security-Token=${S}`,
    ],
    ['AWS, signed as of old', `https://b.s3.amazonaws.com/k?AWSAccessKeyId=${S}&Signature=${S}&Expires=1`],
    ['Google, signed', `https://storage.googleapis.com/b/o?GoogleAccessId=${S}&X-Goog-Signature=${S}`],
    ['Azure, signed', `https://a.blob.core.windows.net/c/b?sv=2022-11-02&sp=r&sig=${S}`],
    ['a token in a query', `http://host/x?a=1&access_token=${S}#top`],
    ['a key in a query', `https://maps.example.com/x?key=${S}`],
    ['a token in a fragment', `https://app/#access_token=${S}`],
    ['a webhook of Slack', `https://hooks.slack.com/services/T000/B000/${S}`],
    ['a webhook of Discord', `https://discord.com/api/webhooks/123/${S}`],
    ['a webhook of Teams', `https://x.webhook.office.com/webhookb2/${S}/IncomingWebhook/1`],
    ['a bot of Telegram', `https://api.telegram.org/bot123:${S}/send`],
    ['a header', `Authorization: Bearer ${S}`],
    ['a header of curl', `curl -H 'Authorization: Basic ${S}==' https://x`],
    ['a bearer alone', `the proxy wants Bearer ${S}`],
    ['a header of a key', `X-Api-Key: ${S}`],
    ['cookies', `Set-Cookie: sid=${S}; Path=/`],
    ['a login of curl', `curl -u me:${S} https://x`],
    ['netrc', `machine x login me password ${S}`],
    ['PEM', `key:\n-----BEGIN PRIVATE KEY-----\n${S}\n-----END PRIVATE KEY-----\n`],
    ['PEM that was cut', `-----BEGIN OPENSSH PRIVATE KEY-----\n${S}`],
    ['a connection string', `Server=db;User Id=me;Password=${S};`],
    ['a short one', `Server=db;Uid=me;Pwd=${S};`],
    ['an account key', `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${S}==;`],
    ['a shared key', `Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=${S}=`],
    ['a token of GitHub', `x ghp_${S}${S}`],
    ['a token of GitLab', `glpat-${S}${S}`],
    ['a token of Hugging Face', `(hf_${S}${S})`],
    ['a key of OpenAI', `key sk-proj-${S}${S}`],
    ['a token of Slack', `xoxb-1-2-${S}`],
    ['a token of npm', `//registry/:_authToken=npm_${S}${S}`],
    ['a key of Google', `AIza${S}${S}`],
    ['a license', `license=${S}`],
    ['cookies before others', `Set-Cookie: a=${S}; Path=/ --api-key='${S}'`],
    ['a digest', `Authorization: Digest username="me", response="${S}"`],
    ['escaped lines after a URL', `http://x/?key=${S}\\n--token ${S}\\nSet-Cookie: a=b; Path=/\\n--token ${S}`],
    ['escaped lines', `a\\n--token ${S}\\nAuthorization: Bearer ${S}`],
    ['escaped lines and a token', `a\\nghp_${S}${S}`],
  ])('%s', (_, text) => {
    const shown = redact(text);
    expect(shown).not.toContain(S);
    expect(shown).toContain(REDACTED);
    expect(redact(shown)).toBe(shown);
  });

  test('what is around them stays', () => {
    expect(redact(`--xla_dump_to=/tmp/x --token=${S} --y=1`)).toBe('--xla_dump_to=/tmp/x --token=[redacted] --y=1');
    expect(redact(`{"api_key": "${S}", "n": 1}`)).toBe('{"api_key": "[redacted]", "n": 1}');
    expect(redact(`{\\"secret\\":\\"${S}\\"}`)).toBe('{\\"secret\\":\\"[redacted]\\"}');
    expect(redact(`https://me:${S}@x.com/a?b=1&sig=${S}&c=2`)).toBe(
      'https://[redacted]@x.com/a?b=1&sig=[redacted]&c=2',
    );
    expect(redact(`Server=db;Password=${S};Uid=me`)).toBe('Server=db;Password=[redacted];Uid=me');
    expect(redact(`x: JSON web token ${JWT}, expired`)).toBe('x: JSON web token [redacted], expired');
  });
});

test.each([
  '--xla_gpu_autotune_level=4',
  'XLA_FLAGS=--xla_dump_to=/tmp/x --xla_dump_hlo_pass_re=.* --xla_disable_hlo_passes=a,b',
  '--max_tokens=100',
  'max_new_tokens: 512, eos_token="</s>", pad_token=<pad>',
  'tokenizer=meta-llama/Llama-3.1-8B',
  'unexpected token: identifier7 at 1:2',
  'the ordering token=%arg0 of ordering_token=%tok12',
  'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'commit 4ed41fed90a7c1de8f1e2c3b4a5968778695a4b3',
  'buffers/host-errors:type[dtype=f32,key=a,sort_keys=true]',
  '/opt/Foo-2.1/lib/x86_64-linux-gnu/libMyPlugin-Release-2026.so',
  'LICENSE_FILE=/opt/vendor/license.dat LM_LICENSE=27000@license-server',
  'GOOGLE_APPLICATION_CREDENTIALS=/home/me/key.json',
  'SSH_AUTH_SOCK=/tmp/ssh-x/agent.1',
  'PJRT_Error_Code_UNAUTHENTICATED: authentication failed: credential is missing',
  'password authentication is off; secret: none',
  'cache_key=x86_64-avx512, keys=8, monkey=banana',
  'auth=none token=true license=required',
  'https://github.com/openxla/xla/issues/12345?q=is%3Aopen+label%3Abug#issue-1',
  'https://example.com/webhooks-of-plugins/readme.html',
  'KeyValueStore: GetKeyValue(key="node/0", timeout=1000)',
  'stablehlo.create_token : !stablehlo.token, tensor<2x2xf32>',
  'risk-adjusted task-12345678 sk-',
  'std::map<Key, Token>::secret::value',
  '_ZN3tsl6StatusC2EN4absl10StatusCodeESt17basic_string_viewIcSt11char_traitsIcEE',
  'user: me, passes=3, bypass=1, compass=north, signature=(f32[2])->f32',
])('no credential: %s', (text) => {
  expect(redact(text)).toBe(text);
});

test.each([
  ['LD_LIBRARY_PATH', '/opt/Foo-2.1/lib/x86_64-linux-gnu:/usr/local/cuda-13.0/lib64'],
  ['XLA_FLAGS', '--xla_gpu_autotune_level=4 --xla_force_host_platform_device_count=8'],
  ['TPU_SKIP_MDS_QUERY', '1'],
  ['PJRT_MODEL', 'meta-llama/Llama-3.1-8B-Instruct'],
  ['JAX_COMPILATION_CACHE_KEY_VERSION', '7'],
  ['NEURON_RT_VISIBLE_CORES', '0-3'],
  ['PJRT_DIGEST', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  ['TT_TOKENIZER', 'bert-base'],
  ['PWD', '/home/Me/work'],
  ['DOCKER_SECRETS', '/run/secrets'],
  ['CUDA_VISIBLE_DEVICES', 'GPU-8f2d1c4e-3b5a-4c6d-9e7f-0a1b2c3d4e5f'],
])('no credential: the variable %s', (name, value) => {
  expect(redactVariable(name, value)).toBe(value);
});

test('what was given as a secret is recognised without its name', () => {
  rememberSecrets({ MY_PASSWORD: 'correct horse/battery', HOME: '/home/me' }, ['--option', 'api_key=Tr0ub4dor&3']);
  expect(redact('said correct horse/battery twice')).toBe('said [redacted] twice');
  expect(redact('a URL with correct%20horse%2Fbattery')).toBe('a URL with [redacted]');
  expect(redact('license Tr0ub4dor&3 is invalid in /home/me')).toBe('license [redacted] is invalid in /home/me');
});

test('data, by the names of members; what has none is the same object', () => {
  const clean = { a: ['b', { c: 1 }], keys: ['plugin', 'options'] };
  expect(redactAll(clean)).toBe(clean);
  expect(redactAll({ client_secret: 'x', list: [`token=${S}`] })).toEqual({
    client_secret: REDACTED,
    list: ['token=[redacted]'],
  });
  expect(mapTexts(JSON.parse('{"__proto__": "a"}'), () => 'b')).toEqual(JSON.parse('{"__proto__": "b"}'));
});

test('a long text takes linear time', () => {
  for (const text of ['token=', 'a=', '"', '--x ', 'key: ', 'http://', 'eyJaaaaaaaaaaaa.', '::', 'a'.repeat(99)]) {
    expect(redact(text.repeat(200_000 / text.length)).length).toBeGreaterThan(0);
  }
});
