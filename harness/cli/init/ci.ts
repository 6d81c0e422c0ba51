import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../base/paths.ts';

/** A CI system or scheduler for which `init` writes a workflow. */
export interface CiSystem {
  title: string;
  /** File in templates/ci/. */
  template: string;
  /** Where the system looks for its workflow, relative to the repository root. */
  file: string;
  /** Where ours goes if there is already a workflow, and what then runs it; absent if the system reads several files. */
  beside?: { file: string; use: string };
  /** Files and directories of a repository that uses this system; none if only the user knows. */
  signs: readonly string[];
  /** Git hosts that come with this system. */
  host?: RegExp;
}

export const CI_SYSTEMS = {
  github: {
    title: 'GitHub Actions',
    template: 'github.yml',
    file: '.github/workflows/pjrt-conformance.yml',
    signs: ['.github'],
    host: /\bgithub\b/,
  },
  gitlab: {
    title: 'GitLab CI',
    template: 'gitlab.yml',
    file: '.gitlab-ci.yml',
    beside: {
      file: '.gitlab/pjrt-conformance.yml',
      use: 'include it in .gitlab-ci.yml: `include: [{local: .gitlab/pjrt-conformance.yml}]`',
    },
    signs: ['.gitlab-ci.yml', '.gitlab'],
    host: /\bgitlab\b/,
  },
  jenkins: {
    title: 'Jenkins',
    template: 'jenkins.groovy',
    file: 'Jenkinsfile',
    beside: {
      file: 'Jenkinsfile.conformance',
      use: 'create a pipeline job with the script path Jenkinsfile.conformance, or move its stage into your Jenkinsfile',
    },
    signs: ['Jenkinsfile'],
  },
  buildkite: {
    title: 'Buildkite',
    template: 'buildkite.yml',
    file: '.buildkite/pipeline.yml',
    beside: {
      file: '.buildkite/pjrt-conformance.yml',
      use: 'add the command `buildkite-agent pipeline upload .buildkite/pjrt-conformance.yml` to a step of your pipeline',
    },
    signs: ['.buildkite'],
  },
  azure: {
    title: 'Azure Pipelines',
    template: 'azure.yml',
    file: 'azure-pipelines.yml',
    beside: {
      file: 'azure-pipelines.conformance.yml',
      use: 'create a pipeline from the existing file azure-pipelines.conformance.yml',
    },
    signs: ['azure-pipelines.yml'],
    host: /\bdev\.azure\.com\b|\bvisualstudio\.com\b/,
  },
  circleci: {
    title: 'CircleCI',
    template: 'circleci.yml',
    file: '.circleci/config.yml',
    beside: {
      file: '.circleci/pjrt-conformance.yml',
      use: 'move its job and workflow into .circleci/config.yml; CircleCI reads that file only',
    },
    signs: ['.circleci'],
  },
  slurm: {
    title: 'Slurm',
    template: 'slurm.sh',
    file: 'pjrt-conformance.sbatch',
    beside: {
      file: 'pjrt-conformance.array.sbatch',
      use: 'submit the new one: `sbatch pjrt-conformance.array.sbatch`',
    },
    signs: [],
  },
  kubernetes: {
    title: 'Kubernetes',
    template: 'kubernetes.yml',
    file: 'pjrt-conformance.job.yaml',
    beside: {
      file: 'pjrt-conformance.indexed.yaml',
      use: 'apply the new one: `kubectl apply -f pjrt-conformance.indexed.yaml`',
    },
    signs: [],
  },
} as const satisfies Record<string, CiSystem>;

export type CiName = keyof typeof CI_SYSTEMS;

export const CI_NAMES = Object.keys(CI_SYSTEMS) as CiName[];

/** The systems that a repository seems to use: by its files, else by the host of its remotes. */
export function detectCi(root: string): CiName[] {
  const bySign = CI_NAMES.filter((name) => CI_SYSTEMS[name].signs.some((sign) => existsSync(join(root, sign))));
  if (bySign.length > 0) return bySign;
  const hosts = remoteHosts(join(root, '.git', 'config'));
  return CI_NAMES.filter((name) => {
    const { host }: CiSystem = CI_SYSTEMS[name];
    return host !== undefined && hosts.some((remote) => host.test(remote));
  });
}

/** Hosts in `url = …` of a repository's configuration, read as text without running git. */
function remoteHosts(config: string): string[] {
  let text = '';
  try {
    text = readFileSync(config, 'utf8');
  } catch {
    // No repository, or a work tree whose configuration is elsewhere.
  }
  return [...text.matchAll(/^\s*url\s*=\s*(?:\w+:\/\/)?(?:[^@/\s]+@)?([^/:\s]+)/gm)].map(([, host]) => host ?? '');
}

/** A template with its placeholders replaced. */
export function fillTemplate(file: string, values: Readonly<Record<string, string>>): string {
  return readFileSync(packagePath('templates', file), 'utf8').replace(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`templates/${file}: nothing is known for ${whole}`);
    return value;
  });
}
