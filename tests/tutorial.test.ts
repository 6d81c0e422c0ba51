import { expect, test } from 'vitest';
import { play, TUTORIAL } from '../tools/tutorial/play.ts';
import { comparable, partOf } from '../tools/tutorial/script.ts';

/** A reader of docs/tutorial.md: every command, in order, in an empty directory with the tarball of the package. */
test('the commands of the tutorial work, and print what it shows', async () => {
  const played = await play();
  for (const { step, exit, output } of played) {
    expect(exit, `${TUTORIAL}:${step.line}: $ ${step.commands}${output}`).toBe(step.exit);
    for (const shown of step.shown) {
      expect(
        comparable(partOf(output, shown)),
        `${TUTORIAL}:${step.line}: another output; \`npm run record:tutorial\` writes it`,
      ).toBe(comparable(shown.text));
    }
  }
  expect(played.length).toBeGreaterThan(15);
});
