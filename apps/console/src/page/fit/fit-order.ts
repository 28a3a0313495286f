import { bytes, messageOf, millicores } from '@quartermaster/kernel';
import type { FitOrder } from './fit.ts';

/** The fields of the form, as they are typed and as they stand in the address. */
export const fitFields = ['cpu', 'memory', 'gpus', 'model', 'class', 'size', 'replicas'] as const;
export type FitField = (typeof fitFields)[number];
export type FitTexts = Readonly<Record<FitField, string>>;

export interface ReadOrder {
  /** Undefined while nothing is asked for, or something is wrong. */
  readonly order: FitOrder | undefined;
  readonly problems: Readonly<Partial<Record<FitField, string>>>;
  /** What a bare number was taken for. */
  readonly notes: Readonly<Partial<Record<FitField, string>>>;
}

/** Reads an order as somebody types it; amounts are Kubernetes quantities, or as the console prints them. */
export function readOrder(texts: FitTexts): ReadOrder {
  const problems: Partial<Record<FitField, string>> = {};
  const read = (field: FitField, fallback: number, parse: (text: string) => number): number => {
    const text = texts[field].trim();
    if (text === '') return fallback;
    try {
      const value = parse(text);
      if (value >= 0 && Number.isSafeInteger(value)) return value;
      problems[field] = 'is out of range: enter 0 or more';
    } catch (thrown) {
      problems[field] = messageOf(thrown);
    }
    return fallback;
  };
  const order: FitOrder = {
    cpuMillis: read('cpu', 0, millicores),
    memoryBytes: read('memory', 0, size),
    gpus: read('gpus', 0, wholeNumber),
    gpuModel: texts.model,
    storageClass: texts.class,
    storageBytes: read('size', 0, size),
    replicas: read('replicas', 1, wholeNumber),
  };
  if (order.storageClass !== '' && order.storageBytes === 0 && problems.size === undefined && texts.size !== '') {
    problems.size = 'is 0: enter how much of the class one replica needs, such as 100Gi';
  }
  const isAsked = order.cpuMillis > 0 || order.memoryBytes > 0 || order.gpus > 0 || (order.storageClass !== '' && order.storageBytes > 0);
  const notes = Object.fromEntries(
    (['memory', 'size'] as const)
      .filter((field) => isBare(texts[field]))
      .map((field) => [field, `${texts[field].trim()} bytes: add a unit, such as Gi or TiB`]),
  );
  return { order: isAsked && order.replicas > 0 && Object.keys(problems).length === 0 ? order : undefined, problems, notes };
}

/** Bytes as Kubernetes writes them, `64Gi`, or as the console does: `64 GiB`, `1\u202f024 TiB`. */
const size = (text: string): number => bytes(text.replaceAll(/[\s\u202f]/g, '').replace(/^([\d.]+(?:[KMGTPE]i?)?)B$/i, '$1'));

const isBare = (text: string): boolean => /^\s*\d+\s*$/.test(text);

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${JSON.stringify(text)} is not a whole number: enter 1, 2, 8 …`);
  return Number(text);
}
