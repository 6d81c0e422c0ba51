import { buildDesigns } from '../designs/plugin.ts';
import { buildFaults } from '../mutation/library.ts';
import { environmentOf, isDesigned, type Recipe } from './plugins.ts';

/** A plugin to load, and the environment that gives it the properties of its recipe. */
interface Assembled {
  library: string;
  env: Record<string, string>;
}

/** Builds what a recipe needs around its base. @throws CompileError */
export async function assemble(recipe: Recipe, base: string): Promise<Assembled> {
  const designs = isDesigned(recipe) ? await buildDesigns() : base;
  const library = recipe.fault === undefined ? designs : await buildFaults();
  return { library, env: environmentOf(recipe, { base, designs }) };
}
