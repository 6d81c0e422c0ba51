import type { ElementText, HtmlNumbers } from '../../../harness/report/html-data.ts';
import { distanceBins } from '../../data/ulp.ts';
import { count, ulp as ulpText } from '../../ui/format.ts';
import { Histogram } from '../../ui/histogram.tsx';
import { TableFrame } from '../../ui/scroll.tsx';

/** Elements of an array that is readable at a glance, without a plot. */
const FEW = 8;

/** The numbers of arrays that differ: small ones element by element, distances, and the other arrays of the case. */
export function MismatchedNumbers({ numbers: { dtype, distances, elements, inputs = [] } }: { numbers: HtmlNumbers }) {
  const bins = distances ? distanceBins(distances) : [];
  const columns = elements ? inputs.filter((input) => input.elements?.length === elements.expected.length) : [];
  const others = inputs.filter((input) => !columns.includes(input));
  return (
    <>
      {bins.length > 1 && (elements === undefined || elements.expected.length > FEW) && (
        <figure class="distances">
          <figcaption>
            <b>Distances</b> <small>elements by ULP, in powers of two</small>
          </figcaption>
          <Histogram bins={bins} what="elements" />
        </figure>
      )}
      {elements && <Elements elements={elements} dtype={dtype} inputs={columns} />}
      {others.length > 0 && (
        <details>
          <summary>{count(others.length, 'other array')} of the case</summary>
          <dl class="arrays">
            {others.map(({ name, dtype: type, shape, elements: values }) => (
              <div key={name}>
                <dt>
                  <code>{name}</code> <span class="dim">{typeText(type, shape)}</span>
                </dt>
                <dd>
                  {values ? (
                    <span class="mono">{values.map(([value]) => value).join(' ')}</span>
                  ) : (
                    <span class="dim">more than 64 elements, which are not in the log</span>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

/** `f32[2,3]`. */
const typeText = (dtype: string, shape: readonly number[]): string => `${dtype}[${shape.join(',')}]`;

interface ElementsProps {
  elements: NonNullable<HtmlNumbers['elements']>;
  dtype: string;
  /** Arrays with as many elements: an operand's element is beside its result. */
  inputs: NonNullable<HtmlNumbers['inputs']>;
}

function Elements({ elements: { shape, expected, actual, ulp, wrong }, dtype, inputs }: ElementsProps) {
  const bad = new Set(wrong);
  return (
    <TableFrame label="Expected and actual elements">
      <table class="elements">
        <caption>
          {typeText(dtype, shape)}, {wrong.length} of {count(expected.length, 'element')} wrong
        </caption>
        <thead>
          <tr>
            <th class="n">Index</th>
            {inputs.map(({ name }) => (
              <th key={name} class="n">
                {name}
              </th>
            ))}
            <th class="n">Expected</th>
            <th class="n">Actual</th>
            <th class="n">ULP</th>
          </tr>
        </thead>
        <tbody>
          {expected.map((should, at) => (
            <tr key={at} class={bad.has(at) ? 'wrong' : ''}>
              <th scope="row" class="n">
                [{indexOf(shape, at).join(',')}]
              </th>
              {inputs.map(({ name, elements: values }) => (
                <Element key={name} element={values![at]!} />
              ))}
              <Element element={should} />
              <Element element={actual[at]!} />
              <td class="n">
                {ulp[at] === 0 ? (bad.has(at) ? '' : '0') : ulp[at] == null ? 'no distance' : ulpText(ulp[at])}
                {bad.has(at) && <b class="s-fail"> ✗</b>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

const Element = ({ element: [value, bits] }: { element: ElementText }) => (
  <td class="n">
    {value} <code class="bits">{bits}</code>
  </td>
);

/** Index tuple of a row-major index. */
function indexOf(shape: readonly number[], at: number): number[] {
  let rest = at;
  return shape
    .map((_, i) => shape.length - 1 - i)
    .map((d) => {
      const index = rest % shape[d]!;
      rest = Math.floor(rest / shape[d]!);
      return index;
    })
    .reverse();
}
