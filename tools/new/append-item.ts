import { Document, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';

/**
 * A YAML text with one more item at the end of a list, or more keys at the end of a map; what is there keeps its form.
 * @param path keys from the root to the list or map
 */
export function appendItem(text: string, path: readonly string[], item: object): string {
  const parent = parseDocument(text).getIn(path, true);
  if (!isSeq(parent) && !isMap(parent)) throw new Error(`nothing can be added at ${path.join('.')}`);
  const [start, end] = parent.range!;
  const indent = text.slice(0, start).match(/ *$/)![0];
  const lines = asYaml(isSeq(parent) ? [item] : item).map((line) => indent + line);
  return `${text.slice(0, end).trimEnd()}\n${lines.join('\n')}\n${text.slice(end)}`;
}

/** A value as lines of YAML, with lists of names on one line. */
export function asYaml(value: object): string[] {
  const document = new Document(value);
  visit(document, {
    Seq(_, list) {
      if (list.items.every(isScalar)) list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd().split('\n');
}
