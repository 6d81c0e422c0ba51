/** What a scheduler puts into the environment of each of several parallel tasks: names of variables. */
export interface Scheduler {
  /** In messages. */
  title: string;
  /** The index of this task; set in parallel tasks only, or with a count of 1 in others. */
  index: string;
  /** The index of the first task: a number, or the variable that has it. */
  first: number | string;
  /** Variables with the number of tasks, the last index, and the distance between two indices. */
  count?: string;
  last?: string;
  step?: string;
  /** The id of all tasks together, which a task that is run again keeps: such a task resumes its own log. */
  job?: string;
  /** What to do where the environment does not have the number of tasks. */
  help?: string;
}

/**
 * From the documentation of each. GitHub has expressions instead of variables, and a Job of Kubernetes gives a task only its
 * index: the templates of `init` set the variables that are missing.
 */
export const SCHEDULERS: readonly Scheduler[] = [
  {
    title: 'Slurm array',
    index: 'SLURM_ARRAY_TASK_ID',
    first: 'SLURM_ARRAY_TASK_MIN',
    count: 'SLURM_ARRAY_TASK_COUNT',
    last: 'SLURM_ARRAY_TASK_MAX',
    step: 'SLURM_ARRAY_TASK_STEP',
    job: 'SLURM_ARRAY_JOB_ID',
  },
  {
    title: 'Grid Engine array',
    index: 'SGE_TASK_ID',
    first: 'SGE_TASK_FIRST',
    last: 'SGE_TASK_LAST',
    step: 'SGE_TASK_STEPSIZE',
    job: 'JOB_ID',
  },
  {
    title: 'Kubernetes Indexed Job',
    index: 'JOB_COMPLETION_INDEX',
    first: 0,
    count: 'JOB_COMPLETIONS',
    job: 'JOB_UID',
    help: 'the number of completions is not in the environment: write it in the manifest, as --shard auto/8, or as the variable JOB_COMPLETIONS',
  },
  {
    title: 'AWS Batch array',
    index: 'AWS_BATCH_JOB_ARRAY_INDEX',
    first: 0,
    count: 'AWS_BATCH_JOB_ARRAY_SIZE',
    job: 'AWS_BATCH_JOB_ID',
  },
  {
    title: 'GitHub matrix',
    index: 'STRATEGY_JOB_INDEX',
    first: 0,
    count: 'STRATEGY_JOB_TOTAL',
  },
  { title: 'GitLab parallel job', index: 'CI_NODE_INDEX', first: 1, count: 'CI_NODE_TOTAL' },
  {
    title: 'Buildkite parallel job',
    index: 'BUILDKITE_PARALLEL_JOB',
    first: 0,
    count: 'BUILDKITE_PARALLEL_JOB_COUNT',
  },
  { title: 'CircleCI parallel job', index: 'CIRCLE_NODE_INDEX', first: 0, count: 'CIRCLE_NODE_TOTAL' },
  {
    title: 'Azure Pipelines parallel job',
    index: 'SYSTEM_JOBPOSITIONINPHASE',
    first: 1,
    count: 'SYSTEM_TOTALJOBSINPHASE',
  },
  { title: 'Semaphore parallel job', index: 'SEMAPHORE_JOB_INDEX', first: 1, count: 'SEMAPHORE_JOB_COUNT' },
  {
    title: 'Bitbucket parallel step',
    index: 'BITBUCKET_PARALLEL_STEP',
    first: 0,
    count: 'BITBUCKET_PARALLEL_STEP_COUNT',
  },
  { title: 'Bazel sharded test', index: 'TEST_SHARD_INDEX', first: 0, count: 'TEST_TOTAL_SHARDS' },
];
