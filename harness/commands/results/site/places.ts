import type { Submission } from '../submission.ts';

/** Where pages are, from the first page. Names of directories have letters, digits and . _ + - only. */
export const productPath = ({ statement: { product } }: Submission): string =>
  `${product.vendor}/${product.name}/index.html`;

export const runPath = ({ statement: { product } }: Submission): string =>
  `${product.vendor}/${product.name}/${product.version}/index.html`;
