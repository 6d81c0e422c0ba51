import { describe, expect, test } from 'vitest';
import { UsageError } from '../../base/usage-error.ts';
import { chosenShard } from './chosen-shard.ts';

/** Variables as the documentation of each scheduler gives them, for the third of four tasks. */
const THIRD_OF_FOUR: Record<string, Record<string, string>> = {
  slurm: {
    SLURM_ARRAY_JOB_ID: '17',
    SLURM_ARRAY_TASK_ID: '2',
    SLURM_ARRAY_TASK_MIN: '0',
    SLURM_ARRAY_TASK_MAX: '3',
    SLURM_ARRAY_TASK_STEP: '1',
    SLURM_ARRAY_TASK_COUNT: '4',
  },
  'slurm, from 10 in steps of 5': {
    SLURM_ARRAY_TASK_ID: '20',
    SLURM_ARRAY_TASK_MIN: '10',
    SLURM_ARRAY_TASK_MAX: '25',
    SLURM_ARRAY_TASK_STEP: '5',
    SLURM_ARRAY_TASK_COUNT: '4',
  },
  'grid engine': { SGE_TASK_ID: '5', SGE_TASK_FIRST: '1', SGE_TASK_LAST: '7', SGE_TASK_STEPSIZE: '2', JOB_ID: '9' },
  kubernetes: { JOB_COMPLETION_INDEX: '2', JOB_COMPLETIONS: '4' },
  'aws batch': { AWS_BATCH_JOB_ARRAY_INDEX: '2', AWS_BATCH_JOB_ARRAY_SIZE: '4', AWS_BATCH_JOB_ID: 'a1:2' },
  github: { GITHUB_ACTIONS: 'true', STRATEGY_JOB_INDEX: '2', STRATEGY_JOB_TOTAL: '4' },
  gitlab: { CI_NODE_INDEX: '3', CI_NODE_TOTAL: '4' },
  buildkite: { BUILDKITE_PARALLEL_JOB: '2', BUILDKITE_PARALLEL_JOB_COUNT: '4' },
  circleci: { CIRCLE_NODE_INDEX: '2', CIRCLE_NODE_TOTAL: '4' },
  azure: { SYSTEM_JOBPOSITIONINPHASE: '3', SYSTEM_TOTALJOBSINPHASE: '4' },
  semaphore: { SEMAPHORE_JOB_INDEX: '3', SEMAPHORE_JOB_COUNT: '4' },
  bitbucket: { BITBUCKET_PARALLEL_STEP: '2', BITBUCKET_PARALLEL_STEP_COUNT: '4' },
};

const slurm = (more: Record<string, string>): Record<string, string> => ({ ...THIRD_OF_FOUR.slurm, ...more });

describe('--shard auto', () => {
  test.each(Object.entries(THIRD_OF_FOUR))('%s: the third of four', (_, variables) => {
    expect(chosenShard('auto', variables)).toMatchObject({ index: 3, count: 4 });
    expect(chosenShard('auto/4', variables)).toMatchObject({ index: 3, count: 4 });
  });

  test('has the place it comes from, and the id of the job', () => {
    const { from, job } = chosenShard('auto', THIRD_OF_FOUR.slurm!);
    expect([from, job]).toEqual(['Slurm array, SLURM_ARRAY_TASK_ID=2', '17']);
    expect(chosenShard('auto', THIRD_OF_FOUR['aws batch']!).job).toBe('a1');
    expect(chosenShard('auto', THIRD_OF_FOUR['grid engine']!).job).toBe('9');
    expect(chosenShard('auto', THIRD_OF_FOUR.gitlab!).job).toBeUndefined();
  });

  test('a job that is not parallel is the whole run, whatever its system says about it', () => {
    expect(chosenShard('auto', { CIRCLE_NODE_INDEX: '0', CIRCLE_NODE_TOTAL: '1' })).toMatchObject({
      index: 1,
      count: 1,
    });
    const onAzure = { SYSTEM_JOBPOSITIONINPHASE: '1', SYSTEM_TOTALJOBSINPHASE: '1' };
    expect(chosenShard('auto', { ...onAzure, ...THIRD_OF_FOUR.slurm })).toMatchObject({ index: 3, count: 4 });
    expect(() => chosenShard('auto', { SGE_TASK_ID: 'undefined', SGE_TASK_LAST: 'undefined' })).toThrow('no scheduler');
  });

  test.each<[string, Record<string, string>, string, RegExp]>([
    ['none', {}, 'auto', /no scheduler .*SLURM_ARRAY_TASK_ID \(Slurm array\).*as in --shard 3\/8$/],
    ['none on GitHub', { GITHUB_ACTIONS: 'true' }, 'auto', /strategy\.job-index .*strategy\.job-total/],
    [
      'two',
      { ...THIRD_OF_FOUR.slurm, CI_NODE_INDEX: '1', CI_NODE_TOTAL: '2' },
      'auto',
      /several schedulers .*3\/4 \(Slurm array, .*1\/2 \(GitLab parallel job/,
    ],
    ['Kubernetes without a number', { JOB_COMPLETION_INDEX: '2' }, 'auto', /--shard auto\/8/],
    ['gaps', slurm({ SLURM_ARRAY_TASK_COUNT: '3' }), 'auto', /gaps.*SLURM_ARRAY_TASK_COUNT=3/],
    ['an index beside the steps', slurm({ SLURM_ARRAY_TASK_ID: '9' }), 'auto', /not one of 4 tasks from 0/],
    [
      'an index before the first',
      slurm({ SLURM_ARRAY_TASK_MIN: '3', SLURM_ARRAY_TASK_MAX: '6' }),
      'auto',
      /not one of/,
    ],
    ['another number', slurm({}), 'auto/8', /auto\/8 says 8 tasks, the scheduler 4/],
    [
      'no number',
      slurm({ SLURM_ARRAY_TASK_ID: 'two' }),
      'auto',
      /SLURM_ARRAY_TASK_ID is "two"; expected a whole number/,
    ],
    ['an index of Kubernetes beyond the number', { JOB_COMPLETION_INDEX: '8' }, 'auto/8', /not one of 8 tasks from 0/],
  ])('%s is an error', (_, variables, text, message) => {
    expect(() => chosenShard(text, variables)).toThrow(UsageError);
    expect(() => chosenShard(text, variables)).toThrow(message);
  });
});

test('a shard that is written is taken as it is', () => {
  expect(chosenShard('2/5', THIRD_OF_FOUR.slurm!)).toEqual({ index: 2, count: 5 });
  for (const wrong of ['0/5', '6/5', '1', '1/0', 'a/b', '1/5/2', '-1/5', 'automatic', 'auto/0', 'auto/x'])
    expect(() => chosenShard(wrong, {}), wrong).toThrow('--shard: not a shard');
});
