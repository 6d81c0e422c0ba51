import { Abi } from '../../harness/knowledge/abi/abi.ts';
import { integerSize } from '../../harness/knowledge/abi/c-type.ts';
import type { Field, StructLayout } from '../../harness/knowledge/abi/struct-layout.ts';
import type { AbiTable } from '../../harness/knowledge/abi/table-format.ts';
import { leadsOut } from './annotate.ts';
import { ANNOTATION_FACTS, KEPT_TYPES, QUANTITIES, STARTS_NOTHING } from './annotation-facts.ts';

const API = 'PJRT_Api';

/**
 * What the annotations of a table lack, and where they contradict the table; none for a complete one. Each line names a
 * field and what to write into annotation-facts.ts.
 */
export function annotationGaps(table: AbiTable): string[] {
  const versions = table.minors.map(({ minor }) => new Abi(minor, table));
  const gaps = versions.flatMap((abi) => [
    ...abi.structNames
      .filter((name) => name !== API)
      .flatMap((name) => [
        ...uncounted(abi, abi.struct(name)),
        ...unowned(abi, table, abi.struct(name)),
        ...dangling(abi, abi.struct(name)),
      ]),
    ...undecided(abi),
  ]);
  return [...new Set([...gaps, ...unused(table)])];
}

/** Pointers without a count, characters of an unknown kind, and sizes that count nothing. */
function uncounted(abi: Abi, layout: StructLayout): string[] {
  const { name, fields } = layout;
  const counting = new Set(fields.flatMap((f) => [f.count, f.inner]));
  return fields.flatMap((f) => {
    const at = `${name}.${f.name}`;
    const isArray = f.depth > 1 || (f.depth === 1 && (f.base === 'char' || abi.integerBytes(f.base) !== undefined));
    const isCounted = f.count !== undefined || f.inner !== undefined || f.content === 'terminated';
    return [
      ...(isArray && !isCounted ? [`${at}: nothing counts what it leads to; give it a count`] : []),
      ...(f.base === 'char' && f.content === undefined ? [`${at}: is it text or bytes? give it a content`] : []),
      ...(f.type === 'size_t' && f.name !== 'struct_size' && !counting.has(f.name) && QUANTITIES[at] === undefined
        ? [`${at}: it counts nothing; name it as the count of a field, or add it to QUANTITIES`]
        : []),
    ];
  });
}

/** Outputs that nobody frees, or two. */
function unowned(abi: Abi, table: AbiTable, layout: StructLayout): string[] {
  const { name, fields } = layout;
  const called = new Set(fields.flatMap((f) => [f.deleter, f.spentBy]));
  return fields.flatMap((f) => {
    const at = `${name}.${f.name}`;
    const rules = [f.destroy, f.deleter, f.keeper, f.spentBy].filter((rule) => rule !== undefined);
    if (rules.length > 1) return [`${at}: it has ${rules.length} owners: ${rules.join(', ')}`];
    if (!f.out && !f.unmarked) return [];
    if (isFunction(abi, f))
      return called.has(f.name) ? [] : [`${at}: which field is freed with it? give that a deleter`];
    if (rules.length > 0 || f.inOut || f.given || !leadsOut(table, f.type)) return [];
    return [`${at}: who frees it? give it a destroy, deleter, keeper or spentBy, or add its type to KEPT_TYPES`];
  });
}

const isFunction = (abi: Abi, { base, depth }: Field): boolean =>
  base === 'fn' || (depth === 0 && abi.callbacks.has(base));

/** Annotations that name what this version does not have. */
function dangling(abi: Abi, layout: StructLayout): string[] {
  const { name, fields } = layout;
  return fields.flatMap((f) => {
    const at = `${name}.${f.name}`;
    const named = { count: f.count, inner: f.inner, flag: f.flag, deleter: f.deleter, keeper: f.keeper };
    const lost = Object.entries(named)
      .filter(([, field]) => field !== undefined && field !== 'process' && !layout.has(field))
      .map(([key, field]) => `${at}: its ${key}, ${field}, is no field of the struct in 0.${abi.minor}`);
    const functions = [f.destroy, f.spentBy].filter((fn) => fn !== undefined && !layout.has(fn));
    const absent = functions.filter((fn) => abi.slotOffset(fn!) === undefined);
    const counter = f.count === undefined || !layout.has(f.count) ? undefined : layout.field(f.count);
    const isNumber = counter === undefined || integerSize(counter.base) !== undefined;
    return [
      ...lost,
      ...absent.map((fn) => `${at}: ${fn} is no function of 0.${abi.minor}`),
      ...(isNumber ? [] : [`${at}: its count, ${f.count}, is no number`]),
      ...(f.holds === undefined || abi.enumTypes.includes(f.holds)
        ? []
        : [`${at}: 0.${abi.minor} has no enum ${f.holds}`]),
    ];
  });
}

/** Functions that return an event or a buffer of the caller's, of which it is not known whether they start work. */
function undecided(abi: Abi): string[] {
  return abi.functions.flatMap((fn) => {
    const returns = abi.argsOf(fn).fields.some((f) => /^PJRT_(?:Event|Buffer)_Destroy$/.test(f.destroy ?? ''));
    if (returns !== (abi.startsWork(fn) || STARTS_NOTHING[fn] !== undefined)) {
      return [`${API}.${fn}: does it start work? write \`starts\`, or add it to STARTS_NOTHING`];
    }
    return [];
  });
}

/** Facts about what no version has. */
function unused(table: AbiTable): string[] {
  const known = new Set(
    Object.entries(table.structs).flatMap(([name, { fields }]) => fields.map((f) => `${name}.${f.name}`)),
  );
  const named = [
    ...ANNOTATION_FACTS.flatMap((fact) => fact.fields),
    ...Object.keys(QUANTITIES),
    ...Object.keys(STARTS_NOTHING).map((fn) => `${API}.${fn}`),
  ];
  const types = Object.values(table.structs).flatMap((s) => s.fields.map((f) => f.type));
  return [
    ...named.filter((field) => !known.has(field)).map((field) => `${field}: no version has it`),
    ...Object.keys(KEPT_TYPES)
      .filter((type) => !types.some((t) => t.includes(`${type}*`)))
      .map((type) => `${type}: no field has it`),
  ];
}

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
