/** What a worker says, as a JSON Schema beside events.schema.json; `npm run build` makes message-check.cjs of it. */

const fact = (name: string): object => ({ $ref: `events.schema.json#/$defs/pluginFacts/properties/${name}` });

/** Facts that a worker finds. Name, path and hash of a plugin are the parent's. */
const FACTS = [
  ...['apiVersion', 'versionStanding', 'tableBytes', 'functions', 'extensions', 'attributes'],
  ...['platformName', 'platformVersion', 'devices', 'memories', 'deviceCount', 'memoryCount', 'failure'],
];

const TEXT = { type: 'string' };

const message = (type: string, properties: Record<string, object>, optional: readonly string[] = []): object => ({
  type: 'object',
  required: ['type', ...Object.keys(properties).filter((name) => !optional.includes(name))],
  properties: { type: { const: type }, ...properties },
});

/** By the type of a message. */
export const MESSAGES: Record<string, object> = Object.fromEntries(
  Object.entries<[Record<string, object>, string[]?]>({
    facts: [
      {
        plugin: { type: 'integer', minimum: 0 },
        facts: {
          type: 'object',
          properties: Object.fromEntries(FACTS.map((name) => [name, fact(name)])),
          additionalProperties: false,
        },
      },
    ],
    answers: [{ answers: { type: 'object', additionalProperties: { type: 'array', items: TEXT } } }],
    ready: [{}],
    fault: [{ error: TEXT }],
    inspected: [
      { problem: { type: 'object', required: ['reason'], properties: { unanswered: TEXT, reason: TEXT } } },
      ['problem'],
    ],
    result: [{ result: { $ref: 'events.schema.json#/$defs/caseResult' } }],
    checked: [{ healthy: { type: 'boolean' } }],
    stopped: [{ peakRssBytes: { type: 'number', minimum: 0 }, problem: TEXT }, ['problem']],
  }).map(([type, [properties, optional]]) => [type, message(type, properties, optional)]),
);
