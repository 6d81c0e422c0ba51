import { redactVariables } from '../../base/redact.ts';

/** Variables that affect a plugin, or the harness: those of runtimes, loaders, compilers and Node. */
const RELEVANT =
  /^(?:PJRT|XLA|JAX|TPU|LIBTPU|CUDA|NVIDIA|NCCL|ROCM|ROCR|HIP|HSA|NEURON|ONEAPI|SYCL|ZE|TT|TF_CPP|TF_GPU|MKL|OMP|KMP|OPENBLAS|GLIBC_TUNABLES|MALLOC|LD|DYLD|OPENSSL)(?:_|$)|^NODE_|^(?:OMP_NUM_THREADS|TZ|LANG|LC_ALL|(?:A|UB|T|L|M)SAN_OPTIONS|SOURCE_DATE_EPOCH)$/;

/**
 * Relevant environment variables, by an allow-list of names. What looks like a credential is replaced.
 * @param more names that manifests declare relevant
 */
export function relevantEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): Record<string, string> {
  const names = Object.keys(env).filter((name) => RELEVANT.test(name) || more.includes(name));
  return redactVariables(Object.fromEntries(names.sort().map((name) => [name, env[name] ?? ''])));
}
