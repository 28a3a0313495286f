import { useComputedColorScheme } from '@mantine/core';
import type { CapacityLine } from '@quartermaster/api/inventory-views';
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { useNow } from '../../live/use-live.ts';
import { amountText, exactText } from '../../model/capacity-words.ts';
import { formatTime } from '../../model/relative-time.ts';
import { roundedParts } from '../../model/rounded-parts.ts';
import type { TrendSeries } from '../../model/trend-series.ts';
import { Dot } from '../state-word.tsx';

interface TrendPlotProps {
  readonly title: string;
  readonly unit: CapacityLine['unit'];
  readonly series: TrendSeries;
}

const height = 150;
const hourSeconds = 3600;
const words = ['allocated', 'sellable', 'held back', 'unknown'] as const;
const tones = ['allocated', 'good', 'held', 'unknown'] as const;

/** Areas on each other, in the fills of the bars, with the exact values under the pointer. */
export function TrendPlot({ title, unit, series }: TrendPlotProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const latest = useRef(series);
  const [pointed, setPointed] = useState<number | null>(null);
  const scheme = useComputedColorScheme('light');
  const minute = Math.floor(useNow() / 10_000) * 10;

  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const made = new UPlot(optionsFor(element, unit, setPointed, scheme), dataOf(latest.current), element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [unit, scheme]);
  useEffect(() => {
    latest.current = series;
    plot.current?.setData(dataOf(series), false);
    plot.current?.setScale('x', { min: minute - hourSeconds, max: minute + 10 });
  }, [series, minute]);

  const at = pointed ?? series.times.length - 1;
  const exact = series.exact[at];
  const time = series.times[at];
  return (
    <figure className="plot">
      <figcaption>
        <h3>{title}</h3>
        <p className="plot-values">
          {time !== undefined && <time className="dim">{pointed === null ? 'now' : formatTime(time * 1000)}</time>}
          {exact === undefined ? (
            <span className="dim">{time === undefined ? 'the first sample arrives within 10 s' : 'unknown'}</span>
          ) : (
            words.map((word, index) => (
              <span key={word} className="reason" title={`${exactText(unit, exact[index] ?? 0)} ${word}`}>
                <Dot tone={tones[index] ?? 'plain'} />
                {roundedParts(unit, exact).text(index)}
              </span>
            ))
          )}
        </p>
      </figcaption>
      <div ref={holder} className="plot-canvas" aria-hidden="true" />
    </figure>
  );
}

const dataOf = ({ times, tops }: TrendSeries): UPlot.AlignedData => [[...times], ...tops.map((top) => [...top])];

function optionsFor(
  element: HTMLElement,
  unit: CapacityLine['unit'],
  point: (index: number | null) => void,
  scheme: 'light' | 'dark',
): UPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: colour('dim'), grid: { stroke: colour('rule'), width: 1 }, ticks: { show: false }, font: '12px system-ui' };
  // Bytes are counted in powers of two, and so are the lines of their grid.
  const steps = unit === 'bytes' ? { incrs: Array.from({ length: 60 }, (_, power) => 2 ** power) } : {};
  const hatch = (fill: string): CanvasPattern | string => hatched(fill, colour('page'), scheme) ?? fill;
  // The data goes from the whole down, so that each area covers the lower part of the one before.
  const fills = [hatch(colour('unknown')), colour('held'), colour('good'), colour('allocated')];
  return {
    width: Math.max(element.clientWidth, 200),
    height,
    legend: { show: false },
    padding: [8, 20, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: true }, y: { range: (_plot, _min, max) => [0, Math.max(max * 1.05, 1)] } },
    axes: [
      { ...axis, size: 26, space: 70, values: (_plot, times) => times.map((time) => formatTime(time * 1000).slice(0, 5)) },
      { ...axis, size: 64, space: 32, ...steps, values: (_plot, values) => values.map((value) => amountText(unit, value)) },
    ],
    series: [{}, ...fills.map((fill) => ({ fill, width: 0, points: { show: false }, spanGaps: false }))],
    hooks: { setCursor: [(plot) => point(plot.cursor.idx ?? null)] },
  };
}

/** The diagonal hatch of the unknown, as a fill of a canvas. */
function hatched(line: string, page: string, scheme: 'light' | 'dark'): CanvasPattern | undefined {
  const tile = document.createElement('canvas');
  const size = 8;
  tile.width = size;
  tile.height = size;
  const context = tile.getContext('2d');
  if (context === null) return undefined;
  context.fillStyle = page;
  context.fillRect(0, 0, size, size);
  context.strokeStyle = line;
  context.lineWidth = scheme === 'dark' ? 2 : 2.5;
  for (const shift of [-size, 0, size]) {
    context.beginPath();
    context.moveTo(shift, size);
    context.lineTo(shift + size, 0);
    context.stroke();
  }
  return context.createPattern(tile, 'repeat') ?? undefined;
}
