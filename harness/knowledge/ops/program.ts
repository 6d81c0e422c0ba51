import type { Form } from './space.ts';
import { resultNames, typeText } from './text.ts';

/** A program of several forms side by side: it takes the operands of all of them, and returns all of their results. */
export function programOf(forms: readonly Form[]): string {
  const operands = forms.flatMap((form) => form.operands);
  const parameters = operands.map((type, i) => `%arg${i}: ${typeText(type)}`).join(', ');
  const types = forms
    .flatMap((form) => form.results)
    .map(typeText)
    .join(', ');
  const results: string[] = [];
  let next = 0;
  const lines = forms.map((form, i) => {
    const names = form.operands.map(() => `%arg${next++}`);
    results.push(...resultNames(`%f${i}`, form.results.length));
    return form.text(names, `%f${i}`);
  });
  return [
    'module {',
    `  func.func public @main(${parameters}) -> (${types}) {`,
    ...lines.flatMap((line) => line.split('\n')).map((line) => `    ${line}`),
    `    return ${results.join(', ')} : ${types}`,
    '  }',
    '}',
    '',
  ].join('\n');
}
