/** The time of SOURCE_DATE_EPOCH, if the environment sets it. */
export function fixedTimeFrom(environment: Record<string, string | undefined>): Date | undefined {
  const epoch = environment.SOURCE_DATE_EPOCH;
  return epoch && /^\d{1,11}$/.test(epoch) ? new Date(Number(epoch) * 1000) : undefined;
}
