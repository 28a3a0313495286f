import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../setup/find-node24.mjs';
import { soakFiles } from './soak-files.mjs';

it('finds the tests that take larger numbers, and no others', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'soak-'));
  onTestFinished(() => rmSync(checkout, { recursive: true, force: true }));
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), text);
  };
  for (const folder of ['api', 'operators', 'services', 'simulator', 'apps']) mkdirSync(join(checkout, folder));
  put('test/a/more.it.test.ts', "import { times } from '../support/soak.ts';");
  put('lib/x/src/more.test.ts', "process.env['QUARTERMASTER_TEST_SOAK']");
  put('test/a/usual.it.test.ts', 'it');
  put('test/support/soak.ts', "process.env['QUARTERMASTER_TEST_SOAK']");
  put('test/node_modules/y/more.test.ts', "from './soak.ts'");
  expect(soakFiles(checkout)).toEqual(['lib/x/src/more.test.ts', 'test/a/more.it.test.ts']);
});

it('finds some in this checkout', () => {
  expect(soakFiles(root)).toContain('test/faults/paused-leader.it.test.ts');
});
