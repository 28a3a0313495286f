import { defineConfig } from 'vitest/config';

const ignored = ['**/node_modules/**', '**/go/**'];

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
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{api,lib,operators,services,simulator,apps,test}/**/*.it.test.ts'],
          exclude: ignored,
          globalSetup: ['./test/kube/global-setup.ts', './test/postgres/global-setup.ts'],
          pool: 'forks',
          // Each file may start a control plane of its own (470 MB); no more than two at a time.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
