import type { Amount, ExplainResponse } from '@quartermaster/api/inventory';
import { fillWord } from '@quartermaster/api/states';
import type { Look } from '../text/listing.ts';
import { stateText } from '../text/state-text.ts';
import { table } from '../text/table.ts';
import { quantityText, type Unit, unknownText } from './amount-text.ts';
import { sinceText } from './freshness-text.ts';
import { sellState, stateOfNode } from './inventory-states.ts';

/** Why something can or cannot be sold, for people. */
export function explanationText(answer: ExplainResponse, look: Look): string {
  const blocks = [headText(answer), reasonsText(answer, look), figuresText(answer, look), placesText(answer, look)];
  return blocks.filter((block) => block !== '').join('\n');
}

function headText({ subject, sellability, summary }: ExplainResponse): string {
  return `${subject}: ${fillWord(sellState(sellability))}\n${sentence(summary)}\n`;
}

function reasonsText({ explanations }: ExplainResponse, { now }: Look): string {
  return explanations
    .map(({ reason, about, wayOut }) => {
      const message = reason?.message ?? '';
      const head = `${about}: ${reason?.code ?? unknownText}${reason === undefined ? '' : sinceText(reason, now)}`;
      // A reason that names its own way out need not say it twice.
      const way = wayOut === '' || wayOut === message ? '' : `  What to do: ${sentence(wayOut)}\n`;
      return `${head}\n${message === '' ? '' : `  ${sentence(message)}\n`}${way}`;
    })
    .join('');
}

function figuresText({ figures, sellability, explanations }: ExplainResponse, look: Look): string {
  if (figures.length === 0) return '';
  const codes = new Set(explanations.map(({ reason }) => reason?.code));
  const isKnown = (name: string): boolean =>
    sellState(sellability) !== 'unknown' && !(name === 'ephemeral-storage' && codes.has('VolumesUnread'));
  const rows = figures.map(({ name, unit, amount }) => [
    name,
    ...amountCells(amount, unitOf(unit), { exact: look.exact, isKnown: isKnown(name) }),
  ]);
  return table(['WHAT', ...amountHeader], rows);
}

function placesText({ figures, places }: ExplainResponse, look: Look): string {
  if (places.length === 0) return '';
  const unit = unitOf(figures[0]?.unit ?? '');
  const rows = places.map((place) => [
    place.node,
    stateText(stateOfNode(place), look.paint),
    ...amountCells(place.amount, unit, { exact: look.exact, isKnown: sellState(place.sellability) !== 'unknown' }),
  ]);
  return table(['NODE', 'STATE', ...amountHeader], rows);
}

/** What of an amount the cells of `amountCells` are. */
export const amountHeader = ['TOTAL', 'ALLOCATABLE', 'ALLOCATED', 'FREE', 'OVER-COMMITTED'] as const;

/** All that there is, what the kubelet gives to pods, what they have, what is left and what is promised beyond that. */
export function amountCells(amount: Amount | undefined, unit: Unit, { exact, isKnown = true }: AmountStyle): readonly string[] {
  if (amount === undefined) return [unknownText, unknownText, unknownText, unknownText, unknownText];
  const text = (value: bigint): string => quantityText(value, unit, { exact });
  const { capacity, allocatable, allocated, available, overcommitted } = amount;
  return [
    ...[capacity, allocatable, allocated].map(text),
    isKnown ? text(available) : unknownText,
    overcommitted === 0n ? '-' : text(overcommitted),
  ];
}

export interface AmountStyle {
  readonly exact: boolean;
  /** False for what is silent: nobody can tell what is left there. */
  readonly isKnown?: boolean | undefined;
}

function unitOf(name: string): Unit {
  return name === 'millicores' || name === 'bytes' ? name : 'devices';
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
