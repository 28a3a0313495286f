import { describe, expect, it } from 'vitest';
import { addCounts, countsOf, formatCounts } from './vitest.mjs';

const report = { numPassedTests: 7, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
const failedFile = (...statuses: string[]) => ({ status: 'failed', assertionResults: statuses.map((status) => ({ status })) });

describe('the counts of a report', () => {
  it('counts what vitest skipped and what is yet to be written as skipped', () => {
    expect(countsOf({ ...report, numPendingTests: 2, numTodoTests: 1 })).toEqual({ passed: 7, failed: 0, skipped: 3 });
  });

  it('counts a file that failed outside its tests as a failure', () => {
    expect(countsOf({ ...report, testResults: [failedFile(), failedFile('passed', 'skipped')] }).failed).toBe(2);
  });

  it('counts a file with failed tests by its tests only', () => {
    expect(countsOf({ ...report, numFailedTests: 2, testResults: [failedFile('failed', 'failed', 'passed')] }).failed).toBe(2);
  });
});

describe('the last line', () => {
  it('names what passed and failed', () => {
    expect(formatCounts({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
  });

  it('names what was skipped where anything was', () => {
    const counts = addCounts({ passed: 12, failed: 1, skipped: 0 }, { passed: 0, failed: 0, skipped: 30 });
    expect(formatCounts(counts)).toBe('12 passed, 1 failed, 30 skipped');
  });
});
