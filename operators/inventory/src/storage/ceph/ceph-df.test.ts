import { describe, expect, it } from 'vitest';
import { parseCephDf } from './ceph-df.ts';

/** As Ceph 18 answers `ceph df detail --format json`, shortened. */
const captured = {
  stats: { total_bytes: 819_280_510_976, total_avail_bytes: 290_116_431_872, total_used_raw_ratio: 0.6458 },
  stats_by_class: { nvme: { total_bytes: 819_280_510_976, total_avail_bytes: 290_116_431_872 } },
  pools: [
    {
      name: '.mgr',
      id: 1,
      stats: { stored: 1_904_640, stored_raw: 1_904_640, objects: 2, bytes_used: 1_904_640, max_avail: 249_108_103_168, quota_bytes: 0 },
    },
    {
      name: 'akash-deployments',
      id: 2,
      stats: {
        stored: 527_207_235_584,
        stored_data: 527_207_235_584,
        stored_raw: 1_581_621_706_752,
        objects: 135_450,
        kb_used: 514_850_816,
        bytes_used: 1_581_621_706_752,
        percent_used: 0.679,
        max_avail: 249_108_103_168,
        quota_objects: 0,
        quota_bytes: 700_000_000_000,
        avail_raw: 747_324_309_504,
      },
    },
  ],
};

describe('the answer of ceph df', () => {
  it('tells per pool what is stored, what fits, the quota and the redundancy', () => {
    const pools = parseCephDf(`${JSON.stringify(captured)}\n`);
    expect(pools.get('akash-deployments')).toEqual({
      storedBytes: 527_207_235_584,
      maxAvailBytes: 249_108_103_168,
      quotaBytes: 700_000_000_000,
      redundancy: { raw: 747_324_309_504, data: 249_108_103_168 },
    });
    expect(pools.get('.mgr')).toMatchObject({ quotaBytes: undefined, redundancy: undefined });
  });

  it('is refused when it is not JSON or lacks what is needed, never taken for empty', () => {
    expect(() => parseCephDf('Error: cannot connect')).toThrow(/did not answer with JSON/);
    expect(() => parseCephDf('{}')).toThrow(/pools/);
    expect(() => parseCephDf('{"pools":[{"name":"a","stats":{"kb_used":1}}]}')).toThrow(/stored/);
  });
});
