import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import SlowestFilesReporter, { formatSlowest } from './slowest-files.mjs';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the slowest test files', () => {
  it('are twenty at most, the slowest first', () => {
    const times = Array.from({ length: 30 }, (_, index) => ({ file: `lib/${index}.test.ts`, seconds: index / 2 }));
    const lines = formatSlowest(times).trim().split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe('The 20 slowest of 30 test files:');
    expect(lines[1]).toBe('   14.5 s  lib/29.test.ts');
    expect(lines[20]).toBe('    5.0 s  lib/10.test.ts');
  });

  it('are measured with the loading of the file and its hooks, and named from the root', () => {
    const print = vi.spyOn(console, 'log').mockReturnValue();
    const reporter = new SlowestFilesReporter();
    const diagnostic = () => ({ collectDuration: 1_000, setupDuration: 200, duration: 2_000 });
    reporter.onTestModuleEnd({ moduleId: join(process.cwd(), 'test/a.it.test.ts'), diagnostic });
    reporter.onTestRunEnd();
    expect(print.mock.calls.join()).toContain('    3.2 s  test/a.it.test.ts');
  });
});
