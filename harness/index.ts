/**
 * The public API (docs/api.md): the commands as functions with their results and errors; discovery of plugins, and reading of
 * event logs.
 */
export type { Context, CreateOptions, PluginRequest } from './api/context.ts';
export { type CompareRequest, compare, type TrendRequest, trend, verify } from './api/file-questions.ts';
export { type BundleRequest, bundle, type ReportRequest, report } from './api/log-files.ts';
export {
  type CompatRequest,
  type CompatResult,
  compat,
  type DoctorRequest,
  doctor,
  type InspectRequest,
  inspect,
} from './api/plugin-questions.ts';
export { type ResolveRequest, resolvePlugin } from './api/resolve-plugin.ts';
export { type RunRequest, type RunResult, run } from './api/run.ts';
export {
  type CoverageRequest,
  coverage,
  type ListRequest,
  list,
  type ValidateRequest,
  validate,
} from './api/suite-questions.ts';
export {
  type TraceDiffRequest,
  type TraceProgramsRequest,
  type TraceRequest,
  traceDifferences,
  traceMistakes,
  tracePrograms,
  traceSummary,
} from './api/trace-questions.ts';
export type { Output } from './base/environment.ts';
export { UsageError } from './base/usage-error.ts';
export type { Bundle } from './commands/bundle/bundle.ts';
export type { Diagnosis } from './commands/doctor/diagnosis.ts';
export type { Inspection } from './commands/inspect/inspection.ts';
export type { TraceDiff } from './commands/trace/diff.ts';
export type { WrittenPrograms } from './commands/trace/programs.ts';
export type { TraceSummary } from './commands/trace/summary.ts';
export { UnreadableError } from './commands/verify/rules.ts';
export type { Verification } from './commands/verify/verify-bundle.ts';
export { type Discovered, discover } from './host/plugins/discover.ts';
export { PluginError } from './host/plugins/plugin-error.ts';
export { TraceError } from './knowledge/trace/trace-error.ts';
export * from './model/case-result.ts';
export * from './model/events.ts';
export * from './model/expectation.ts';
export * from './model/finding.ts';
export * from './model/framework-verdict.ts';
export * from './model/numeric-record.ts';
export type { Manifest, Options, ResolvedPlugin, TypedOption } from './model/plugin.ts';
export type * from './model/plugin-facts.ts';
export {
  applyEvent,
  type CaseRun,
  emptyRun,
  foldRun,
  type Run,
  reasonOf,
  type SuiteRun,
  statusOf,
} from './model/run.ts';
export * from './model/status.ts';
export type { Comparison } from './report/compare/compare.ts';
export * from './report/index.ts';
export type { Trend } from './report/trend/trend.ts';
export type { Coverage } from './suite/coverage.ts';
export type { ListedCase } from './suite/list-cases.ts';
export { SuiteError, type SuiteProblem } from './suite/problem.ts';
export type { Validation } from './suite/validate.ts';
export type { Weighing } from './verdict/breach.ts';
export type { ExitCode } from './verdict/exit-codes.ts';
export { type RootCause, rootCauses } from './verdict/root-causes.ts';
export { type Standing, standingOf } from './verdict/standing.ts';
export type { Verdict } from './verdict/verdict.ts';
