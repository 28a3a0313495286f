/** The only file that knows prom-client. */
import { type Log, present, StatusError, silentLog } from '@quartermaster/kernel';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Labels<L extends string> = Readonly<Record<L, string | number>>;

export interface MetricOptions<L extends string> {
  /** In full, with its unit: `quartermaster_reconcile_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  /** Names of labels. Each needs few values: node names, not pod names. */
  readonly labels?: readonly L[] | undefined;
}

export interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Upper bounds in ascending order. Default: 5 ms to 10 s, for durations in seconds. */
  readonly buckets?: readonly number[] | undefined;
}

export interface CounterMetric<L extends string> {
  add(labels: Labels<L>, by?: number): void;
}

export interface GaugeMetric<L extends string> {
  set(labels: Labels<L>, value: number): void;
}

export interface HistogramMetric<L extends string> {
  observe(labels: Labels<L>, value: number): void;
}

/** One value at the time of a scrape. */
export interface Sample<L extends string> {
  readonly labels: Labels<L>;
  readonly value: number;
}

/** What a family is read from when it is scraped. */
export type Collect<L extends string> = () => Iterable<Sample<L>> | Promise<Iterable<Sample<L>>>;

interface Family {
  readonly kind: string;
  readonly signature: string;
  readonly metric: unknown;
  readonly collectors: Set<Collect<string>>;
}

const errorsName = 'quartermaster_metrics_collect_errors_total';

/**
 * The metrics of one process. Asking for a metric that exists gives the same one, so that parts of the same kind share it and tell
 * themselves apart by labels; asking for it with another kind or other labels is a bug.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #families = new Map<string, Family>(); // name -> family
  readonly #log: Log;
  readonly #errors: CounterMetric<'metric'>;

  constructor(
    options: { readonly log?: Log /** Memory, CPU, event loop, garbage collection. Default true. */; readonly process?: boolean } = {},
  ) {
    this.#log = options.log ?? silentLog;
    this.#errors = this.counter({ name: errorsName, help: 'Collectors that failed during a scrape.', labels: ['metric'] });
    if (options.process !== false) collectDefaultMetrics({ register: this.#registry });
  }

  counter<L extends string = never>(options: MetricOptions<L>): CounterMetric<L> {
    const family = this.#family('counter', options, () => new Counter(this.#settings(options)));
    const counter = family.metric as Counter<L>;
    return { add: (labels, by = 1) => counter.inc(labels, by) };
  }

  gauge<L extends string = never>(options: MetricOptions<L>): GaugeMetric<L> {
    const family = this.#family('gauge', options, () => new Gauge(this.#settings(options)));
    const gauge = family.metric as Gauge<L>;
    return { set: (labels, value) => gauge.set(labels, value) };
  }

  histogram<L extends string = never>(options: HistogramOptions<L>): HistogramMetric<L> {
    const family = this.#family(
      'histogram',
      options,
      () => new Histogram({ ...this.#settings(options), ...present({ buckets: options.buckets && [...options.buckets] }) }),
    );
    const histogram = family.metric as Histogram<L>;
    return { observe: (labels, value) => histogram.observe(labels, value) };
  }

  /**
   * Gauges that are read when scraped. Several collectors may feed one name, each with labels of its own. A collector that fails is
   * logged and counted, and its samples are missing; the rest is served. Returns what takes the collector away.
   */
  collectGauge<L extends string>(options: MetricOptions<L>, collect: Collect<L>): () => void {
    const make = (family: () => Family): Gauge<L> => {
      const gauge: Gauge<L> = new Gauge({
        ...this.#settings(options),
        collect: () =>
          this.#collect<L>(options.name, family(), {
            reset: () => {
              gauge.reset();
              // A gauge without labels is reset to 0, which nobody has said.
              if ((options.labels ?? []).length === 0) gauge.remove();
            },
            put: (sample) => gauge.set(sample.labels, sample.value),
          }),
      });
      return gauge;
    };
    return this.#addCollector('collected gauge', options, make, collect);
  }

  /** Counters whose totals are kept elsewhere and read when scraped. A collector must give totals since the start, not differences. */
  collectCounter<L extends string>(options: MetricOptions<L>, collect: Collect<L>): () => void {
    const make = (family: () => Family): Counter<L> => {
      const counter: Counter<L> = new Counter({
        ...this.#settings(options),
        collect: () =>
          this.#collect<L>(options.name, family(), {
            reset: () => counter.reset(),
            put: (sample) => counter.inc(sample.labels, sample.value),
          }),
      });
      return counter;
    };
    return this.#addCollector('collected counter', options, make, collect);
  }

  /** In Prometheus's text format, with its content type. */
  async scrape(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #addCollector<L extends string>(
    kind: string,
    options: MetricOptions<L>,
    make: (family: () => Family) => unknown,
    collect: Collect<L>,
  ): () => void {
    const family: Family = this.#family(kind, options, () => make(() => family));
    const collector = collect as Collect<string>;
    family.collectors.add(collector);
    return () => family.collectors.delete(collector);
  }

  async #collect<L extends string>(name: string, family: Family, target: { reset(): void; put(sample: Sample<L>): void }): Promise<void> {
    const results = await Promise.allSettled([...family.collectors].map(async (collect) => [...(await collect())]));
    target.reset();
    for (const result of results) {
      if (result.status === 'fulfilled') {
        for (const sample of result.value) target.put(sample);
      } else {
        this.#errors.add({ metric: name });
        this.#log.warn('metric could not be collected', { metric: name, error: result.reason as unknown });
      }
    }
  }

  #settings<L extends string>(options: MetricOptions<L>) {
    return { name: options.name, help: options.help, labelNames: [...(options.labels ?? [])], registers: [this.#registry] };
  }

  #family(kind: string, options: MetricOptions<string>, make: () => unknown): Family {
    const signature = JSON.stringify([kind, [...(options.labels ?? [])].toSorted()]);
    const existing = this.#families.get(options.name);
    if (existing !== undefined) {
      if (existing.signature === signature) return existing;
      throw new StatusError('internal', `metric ${options.name} exists with another kind or other labels: give it another name`);
    }
    const family: Family = { kind, signature, metric: make(), collectors: new Set() };
    this.#families.set(options.name, family);
    return family;
  }
}
