import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const ignored = ['**/node_modules/**', '**/go/**'];

/**
 * Integration tests wait more than they compute: two at a time leave two cores half idle. But each file may start a control plane of its own
 * (470 MB), a browser or the whole product, beside what they share.
 */
const filesAtOnce = totalmem() >= 12 * 2 ** 30 ? 3 : 2;

/** What comes about in a moment takes seconds on a machine that is busy with other tests; the default is one. */
const poll = { timeout: 20_000 };

/** Where pictures of the console are left. Taken out of the environment: processes of the product refuse a variable of their prefix that they do not know. */
const screenshots = process.env['QUARTERMASTER_TEST_SCREENSHOTS'] ?? '';
delete process.env['QUARTERMASTER_TEST_SCREENSHOTS'];

/**
 * Tests that do a part of what they could in each run, another one each day, do that of this day: a number of which a failed test has the remainder in its name. Taken out of the
 * environment for the same reason.
 */
const day = process.env['QUARTERMASTER_TEST_DAY'] ?? String(Math.floor(Date.now() / 86_400_000));
if (!/^\d+$/.test(day)) throw new Error(`QUARTERMASTER_TEST_DAY is "${day}": give the number in the name of the test, or leave it out`);
delete process.env['QUARTERMASTER_TEST_DAY'];

/**
 * Where processes that tests start find what Node made of our TypeScript for those before them: they start in a third of the time. Node compares what it finds
 * there with the source.
 */
const compiled = process.env['NODE_COMPILE_CACHE'] ?? fileURLToPath(new URL('./node_modules/.cache/quartermaster-tests', import.meta.url));

/** Those that fill the machine by themselves, are bound to a time, or in which time goes faster than others leave room for: beside others they would measure those. */
const alone = [
  'test/up/restart-at-size.it.test.ts',
  'test/up/prompt-stop.it.test.ts',
  'test/leases/outage.it.test.ts',
  'test/leases/outage-market.it.test.ts',
];

const integration = {
  provide: { screenshots, day: Number(day) },
  env: { NODE_COMPILE_CACHE: compiled },
  pool: 'forks',
  expect: { poll },
  testTimeout: 60_000,
  hookTimeout: 120_000,
} as const;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{api,lib,operators,services,simulator,apps,test,bench,scripts}/**/*.test.ts'],
          exclude: [...ignored, '**/*.it.test.ts'],
          // Pure code shares one context: 40 files take 1.1 s instead of 8.7 s.
          pool: 'threads',
          isolate: false,
          expect: { poll },
          // Longer than what is waited for, so that a failure says what did not come about.
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...integration,
          name: 'integration',
          include: ['{api,lib,operators,services,simulator,apps,test}/**/*.it.test.ts'],
          exclude: [...ignored, ...alone],
          globalSetup: ['./test/kube/global-setup.ts', './test/postgres/global-setup.ts'],
          // Those that took longest in the last run are started first, by vitest's own record.
          maxWorkers: filesAtOnce,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...integration,
          name: 'integration-alone',
          include: alone,
          exclude: ignored,
          globalSetup: ['./test/postgres/global-setup.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
