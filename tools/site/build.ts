import { join } from 'node:path';
import {
  Application,
  Comment,
  CommentTag,
  type Context,
  Converter,
  type DocumentReflection,
  OptionDefaults,
  PageEvent,
  RendererEvent,
} from 'typedoc';
import { packagePath } from '../../harness/base/paths.ts';
import { contents, documentName, type Page } from './contents.ts';

/** Tags for the schemas that are generated from the types (tools/docs/log-schemas.ts); the reference leaves them out. */
const SCHEMA_TAGS = [
  ...(['@asType', '@minimum', '@maximum', '@minLength', '@minItems', '@maxItems', '@pattern', '@nullable'] as const),
  ...(['@shape', '@additionalProperties'] as const),
];

/** The last section. */
const API = 'API';

/**
 * Builds the site into a directory: docs/ by reader, the API, a search index. It needs no server and no network.
 * @throws Error on a dead link, after messages that name it
 */
export async function buildSite(directory: string): Promise<void> {
  const sections = contents();
  const pages = sections.flatMap(({ title, pages: all }) => all.map((page) => ({ ...page, section: title })));
  const app = await Application.bootstrap({
    name: 'pjrt-conformance',
    entryPoints: [packagePath('harness', 'index.ts')],
    tsconfig: packagePath('tsconfig.build.json'),
    // The type checker runs in `npm run check:types`.
    skipErrorChecking: true,
    disableSources: true,
    blockTags: [...OptionDefaults.blockTags, ...SCHEMA_TAGS],
    excludeTags: SCHEMA_TAGS,
    groupOrder: ['Functions', 'Interfaces', 'Type Aliases', 'Classes', 'Variables'],
    logLevel: 'Warn',
    // TypeDoc would empty the directory, which by default is docs/.
    cleanOutputDir: false,
    readme: packagePath('README.md'),
    projectDocuments: pages.map(({ file }) => packagePath('docs', file)),
    validation: { notExported: false, invalidLink: true, invalidPath: true },
    categorizeByGroup: false,
    defaultCategory: API,
    categoryOrder: [...sections.map(({ title }) => title), API],
    navigation: { includeCategories: true, includeGroups: false, includeFolders: false },
    navigationLeaves: ['index'],
    sortEntryPoints: false,
    searchInComments: true,
    searchInDocuments: true,
    highlightLanguages: [
      'sh',
      'yaml',
      'json',
      'c',
      'cpp',
      'python',
      'javascript',
      'typescript',
      'groovy',
      'html',
      'toml',
    ],
    ignoredHighlightLanguages: ['text'],
    customCss: join(import.meta.dirname, 'site.css'),
    githubPages: false,
    hideGenerator: true,
  });
  nameDocuments(app, pages);
  adaptPages(app);
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc cannot read harness/index.ts; its messages are above');
  app.validate(project);
  await app.generateDocs(project, directory);
  if (app.logger.hasWarnings() || app.logger.hasErrors()) throw new Error('the documentation has problems, see above');
}

/** Puts documents into the sections of the index, and gives them its titles; their addresses are those of their files. */
function nameDocuments(app: Application, pages: readonly (Page & { section: string })[]): void {
  const next = pages.values();
  const titles = new Map<DocumentReflection, string>();
  // Documents come in the order of the option.
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_: Context | undefined, document: DocumentReflection) => {
    const { value: page } = next.next();
    if (page === undefined) throw new Error(`the document ${document.name} is not in the index`);
    document.name = documentName(page);
    document.comment = new Comment([], [new CommentTag('@category', [{ kind: 'text', text: page.section }])]);
    titles.set(document, page.title);
  });
  // Addresses are made before this event.
  app.renderer.on(RendererEvent.BEGIN, () => {
    for (const [document, title] of titles) document.name = title;
  });
}

/** Landmarks, to which screen readers jump; TypeDoc's pages have only some. */
const LANDMARKS: Readonly<Record<string, string>> = {
  'col-content': 'role="main"',
  'page-menu': 'role="complementary" aria-label="On this page"',
};

/** Adds the landmarks; the first page has its title from the README. */
function adaptPages(app: Application): void {
  app.renderer.on(PageEvent.END, (page: PageEvent) => {
    for (const [name, attributes] of Object.entries(LANDMARKS)) {
      page.contents = page.contents?.replace(`<div class="${name}">`, `<div class="${name}" ${attributes}>`);
    }
    if (page.url === 'index.html')
      page.contents = page.contents?.replace(/<div class="tsd-page-title">[\s\S]*?<\/div>/, '');
  });
}
