import { describe, expect, it } from 'vitest';
import { type RefusedManifest, refusedAgain } from './refused-manifest.ts';

/** When a manifest is judged that stays refused for these reasons, within an hour. */
function judgedAt(...codes: readonly string[]): readonly number[] {
  const reasons = codes.map((code) => ({ code, message: '' }));
  const times: number[] = [];
  let last: RefusedManifest | undefined;
  for (let now = 0; now < 3_600_000; now = last.againAt) {
    times.push(now / 1000);
    last = refusedAgain('a', reasons, last, now);
  }
  return times;
}

describe('a manifest that stays refused', () => {
  it('is judged soon where somebody may give back what it lacks, and less and less often', () => {
    const times = judgedAt('HostnameTaken', 'HostnameCoolingDown', 'HostnameLimit', 'DataLossUnconfirmed');
    expect(times.slice(0, 6)).toEqual([0, 30, 90, 210, 450, 750]);
    expect(times.length).toBe(15);
  });

  it.each([[['HostnamePublicSuffix']], [['HostnameTaken', 'ResourcesDiffer']], [['ManifestInvalid']]])(
    'is judged seldom where time changes nothing: %j',
    (codes) => {
      expect(judgedAt(...codes)).toEqual([0, 300, 600, 900, 1200, 1500, 1800, 2100, 2400, 2700, 3000, 3300]);
    },
  );
});
