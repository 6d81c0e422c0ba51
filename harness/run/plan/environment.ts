/** Variables that affect a plugin, or the harness: those of runtimes, loaders, compilers and Node. */
const RELEVANT =
  /^(?:PJRT|XLA|JAX|TPU|LIBTPU|CUDA|NVIDIA|NCCL|ROCM|ROCR|HIP|HSA|NEURON|ONEAPI|SYCL|ZE|TT|TF_CPP|TF_GPU|MKL|OMP|KMP|OPENBLAS|GLIBC_TUNABLES|MALLOC|LD|DYLD|OPENSSL)(?:_|$)|^NODE_|^(?:OMP_NUM_THREADS|TZ|LANG|LC_ALL|(?:A|UB|T|L|M)SAN_OPTIONS|SOURCE_DATE_EPOCH)$/;

const SECRET_NAME =
  /TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)|CREDENTIAL|COOKIE|(?:^|_|API|ACCESS)KEYS?(?:_|$)|PRIVATE|AUTH(?!OR)/i;

/** Prefixes of service tokens, JSON web tokens, PEM keys, and long runs that are neither words nor numbers. */
const SECRET_VALUE =
  /\b(?:gh[opsur]_|github_pat_|glpat-|xox[abprs]-|hf_|sk-|AKIA|ASIA|AIza|ya29\.)\w{8}|\beyJ[\w-]{10,}\.|-----BEGIN|(?=[\w+=-]*\d)(?=[\w+=-]*[a-z])(?=[\w+=-]*[A-Z])[\w+=-]{32,}/;

/** Replaces what looks like a secret. */
const REDACTED = '[redacted]';

/** Credentials in URLs. */
const withoutUserinfo = (value: string): string =>
  value.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi, `$1${REDACTED}@`);

/**
 * Relevant environment variables, by an allow-list of names. What looks like a secret by name or value is replaced.
 * @param more names that manifests declare relevant
 */
export function relevantEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): Record<string, string> {
  const names = Object.keys(env).filter((name) => RELEVANT.test(name) || more.includes(name));
  return withoutSecrets(Object.fromEntries(names.sort().map((name) => [name, env[name] ?? ''])));
}

/** Variables with what looks like a secret replaced. */
export const withoutSecrets = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const secret = SECRET_NAME.test(name) || SECRET_VALUE.test(value);
      return [name, secret ? REDACTED : withoutUserinfo(value)];
    }),
  );
