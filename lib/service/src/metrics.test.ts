import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.ts';

const lines = async (metrics: Metrics): Promise<string[]> =>
  (await metrics.scrape()).text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('Metrics', () => {
  it('serves counters, gauges and histograms', async () => {
    const metrics = new Metrics({ process: false });
    const reads = metrics.counter({ name: 'reads_total', help: 'Reads.', labels: ['kind'] });
    reads.add({ kind: 'Node' });
    reads.add({ kind: 'Node' }, 4);
    metrics.gauge({ name: 'depth', help: 'Depth.' }).set({}, 7);
    metrics.histogram({ name: 'took_seconds', help: 'Time.', buckets: [0.1, 1] }).observe({}, 0.5);
    expect(await lines(metrics)).toEqual([
      'reads_total{kind="Node"} 5',
      'depth 7',
      'took_seconds_bucket{le="0.1"} 0',
      'took_seconds_bucket{le="1"} 1',
      'took_seconds_bucket{le="+Inf"} 1',
      'took_seconds_sum 0.5',
      'took_seconds_count 1',
    ]);
  });

  it('gives the same metric to all who ask alike, and refuses who asks differently', async () => {
    const metrics = new Metrics({ process: false });
    const options = { name: 'reads_total', help: 'Reads.', labels: ['role'] } as const;
    metrics.counter(options).add({ role: 'a' });
    metrics.counter(options).add({ role: 'b' });
    expect(await lines(metrics)).toEqual(['reads_total{role="a"} 1', 'reads_total{role="b"} 1']);
    expect(() => metrics.gauge(options)).toThrow('exists with another kind or other labels');
    expect(() => metrics.counter({ name: 'reads_total', help: 'Reads.' })).toThrow('exists with another kind or other labels');
  });

  it('reads collectors of one name at each scrape, until they are taken away', async () => {
    const metrics = new Metrics({ process: false });
    let depth = 1;
    const options = { name: 'queue_depth', help: 'Waiting.', labels: ['queue'] } as const;
    const stop = metrics.collectGauge(options, () => [{ labels: { queue: 'a' }, value: depth }]);
    metrics.collectGauge(options, () => Promise.resolve([{ labels: { queue: 'b' }, value: 9 }]));
    expect(await lines(metrics)).toEqual(['queue_depth{queue="a"} 1', 'queue_depth{queue="b"} 9']);
    depth = 2;
    expect(await lines(metrics)).toEqual(['queue_depth{queue="a"} 2', 'queue_depth{queue="b"} 9']);
    stop();
    expect(await lines(metrics)).toEqual(['queue_depth{queue="b"} 9']);
  });

  it('has no value for a gauge of which its collector says nothing', async () => {
    const metrics = new Metrics({ process: false });
    let value: number | undefined;
    metrics.collectGauge({ name: 'depth', help: 'Depth.' }, () => (value === undefined ? [] : [{ labels: {}, value }]));
    const line = async () => (await metrics.scrape()).text.split('\n').find((each) => each.startsWith('depth'));
    expect(await line()).toBeUndefined();
    value = 3;
    expect(await line()).toBe('depth 3');
    value = undefined;
    expect(await line()).toBeUndefined();
  });

  it('serves totals that are kept elsewhere as counters', async () => {
    const metrics = new Metrics({ process: false });
    let total = 3;
    metrics.collectCounter({ name: 'seen_total', help: 'Seen.', labels: [] }, () => [{ labels: {}, value: total }]);
    expect(await lines(metrics)).toEqual(['seen_total 3']);
    total = 5;
    expect(await lines(metrics)).toEqual(['seen_total 5']);
    expect((await metrics.scrape()).text).toContain('# TYPE seen_total counter');
  });

  it('serves the rest when a collector fails, and counts the failure', async () => {
    const metrics = new Metrics({ process: false });
    const options = { name: 'depth', help: 'Depth.', labels: ['queue'] } as const;
    metrics.collectGauge(options, () => {
      throw new Error('gone');
    });
    metrics.collectGauge(options, () => [{ labels: { queue: 'b' }, value: 1 }]);
    await metrics.scrape();
    expect(await lines(metrics)).toEqual(expect.arrayContaining(['depth{queue="b"} 1']));
    expect((await metrics.scrape()).text).toMatch(/quartermaster_metrics_collect_errors_total\{metric="depth"\} [23]/);
  });

  it('keeps registries apart and measures its own process when asked', async () => {
    const first = new Metrics();
    const second = new Metrics();
    expect((await first.scrape()).text).toContain('process_resident_memory_bytes');
    expect((await second.scrape()).text).toContain('nodejs_eventloop_lag_seconds');
  });
});
