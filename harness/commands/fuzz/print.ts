/** Programs as StableHLO text, in the generic form that every version of the parsers reads. */

import { typeText } from '../../knowledge/ops/text.ts';
import { contentsOf, typesIn } from './analyse.ts';
import { arrayOf } from './contents.ts';
import { type Node, type Program, type Region, sizeOf, type TensorType } from './ir.ts';
import { literal, nested } from './literal.ts';
import { RULES } from './rules.ts';
import { generic } from './text.ts';

/** The text of a program. */
export function printProgram(program: Program): string {
  return new Printer().module(program);
}

class Printer {
  #names = 0;
  readonly #functions: string[] = [];

  module(program: Program): string {
    const main = this.#function('public @main', program);
    return ['module {', ...main, ...this.#functions, '}', ''].join('\n');
  }

  #function(name: string, region: Region): string[] {
    const parameters = region.parameters.map((_, i) => `%arg${i}`);
    const { lines, results } = this.#region(region, parameters);
    const types = typesIn(region);
    const list = region.results.map((r) => typeText(types[r]!)).join(', ');
    const declared = parameters.map((p, i) => `${p}: ${typeText(region.parameters[i]!)}`).join(', ');
    return [
      `  func.func ${name}(${declared}) -> (${list}) {`,
      ...lines.flatMap((line) => line.split('\n')).map((line) => `    ${line}`),
      results.length > 0 ? `    return ${results.join(', ')} : ${list}` : '    return',
      '  }',
    ];
  }

  #fresh = (): string => `%v${this.#names++}`;

  #region = (region: Region, parameters: readonly string[]): { lines: string[]; results: string[] } => {
    const names = [...parameters];
    const types = typesIn(region);
    const lines: string[] = [];
    for (const [i, node] of region.nodes.entries()) {
      const result = types[parameters.length + i]!;
      const name = this.#fresh();
      lines.push(...this.#node(node, name, names, types, result));
      names.push(RULES[node.op]?.reference?.(name, node) ?? name);
    }
    return { lines, results: region.results.map((r) => names[r]!) };
  };

  #node(
    node: Node,
    name: string,
    names: readonly string[],
    types: readonly TensorType[],
    result: TensorType,
  ): string[] {
    if (node.op === 'constant') return [`${name} = stablehlo.constant ${dense(result, node)} : ${typeText(result)}`];
    const printing = {
      operands: node.operands.map((x) => names[x]!),
      types: node.operands.map((x) => types[x]!),
      result,
      name,
      fresh: this.#fresh,
      region: this.#region,
      func: this.#called,
    };
    const rule = RULES[node.op]!;
    return rule.print?.(printing, node) ?? [generic(node.op, printing, rule.properties?.(node, printing))];
  }

  #called = (region: Region): string => {
    const name = `f${this.#functions.filter((line) => line.startsWith('  func.func')).length}`;
    // Its place is taken before functions that it calls itself.
    const at = this.#functions.push(`  func.func private @${name}`) - 1;
    const lines = this.#function(`private @${name}`, region);
    this.#functions.splice(at, 1, ...lines);
    return name;
  };
}

function dense(type: TensorType, node: Node): string {
  const contents = contentsOf(node);
  const size = sizeOf(type);
  if (size === 0) return 'dense<>';
  if (contents.of.length === 1) return `dense<${literal(type.dtype, String(contents.of[0]))}>`;
  return `dense<${nested(arrayOf(type, contents))}>`;
}
