import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../paths.ts';

/** A CI system that `init` writes a workflow for. */
export interface CiSystem {
  title: string;
  /** In templates/ci/. */
  template: string;
  /** Where the system looks for its workflow, from the root of the repository. */
  file: string;
  /** Where ours goes when somebody's workflow is there already, and what then makes it run; absent where files stand side by side. */
  beside?: { file: string; use: string };
  /** Files and folders that a repository with this system has. */
  signs: readonly string[];
  /** Hosts of repositories that come with this system. */
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
} as const satisfies Record<string, CiSystem>;

export type CiName = keyof typeof CI_SYSTEMS;

export const CI_NAMES = Object.keys(CI_SYSTEMS) as CiName[];

/** The systems that a repository seems to use: by their files, else by the host that it was cloned from. */
export function detectCi(root: string): CiName[] {
  const bySign = CI_NAMES.filter((name) => CI_SYSTEMS[name].signs.some((sign) => existsSync(join(root, sign))));
  if (bySign.length > 0) return bySign;
  const hosts = remoteHosts(join(root, '.git', 'config'));
  return CI_NAMES.filter((name) => {
    const { host }: CiSystem = CI_SYSTEMS[name];
    return host !== undefined && hosts.some((remote) => host.test(remote));
  });
}

/** Hosts in `url = …` of a repository's configuration; read as text, no git is started. */
function remoteHosts(config: string): string[] {
  let text = '';
  try {
    text = readFileSync(config, 'utf8');
  } catch {
    // No repository, or a work tree whose configuration lies elsewhere: nothing is known then.
  }
  return [...text.matchAll(/^\s*url\s*=\s*(?:\w+:\/\/)?(?:[^@/\s]+@)?([^/:\s]+)/gm)].map(([, host]) => host ?? '');
}

/** A template with its placeholders filled in. */
export function fillTemplate(file: string, values: Readonly<Record<string, string>>): string {
  return readFileSync(packagePath('templates', file), 'utf8').replace(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`templates/${file}: nothing is known for ${whole}`);
    return value;
  });
}
