import { ANNOTATION_FACTS, KEPT_TYPES } from './annotation-facts.ts';

/** The facts whose header text is not in a header any more: what they say has to be looked up again. */
export function unprovenFacts(header: string): string[] {
  const text = flat(header.replaceAll('//', ' '));
  const facts = [
    ...ANNOTATION_FACTS.map((fact) => ({ about: fact.fields.join(', '), proof: fact.header })),
    ...Object.entries(KEPT_TYPES).map(([type, { header: proof }]) => ({ about: type, proof })),
  ];
  return facts.flatMap(({ about, proof }) =>
    proof === undefined || text.includes(flat(proof)) ? [] : [`${about}: the header does not say ${proof}`],
  );
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
