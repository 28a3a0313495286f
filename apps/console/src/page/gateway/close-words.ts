import { closeCodes } from '../../gateway-view.ts';
import { sentenceCase } from '../model/amounts.ts';

/** How a stream ended, as the browser tells it. */
export interface StreamClose {
  readonly code: number;
  readonly reason: string;
  /** How long it had been open; 0 where it never was. */
  readonly openMs: number;
}

/** Something that is not at its best: its end, in words for whoever looks. */
export class StreamEnd extends Error {
  readonly close: StreamClose;

  constructor(close: StreamClose) {
    super(closeWords(close));
    this.name = 'StreamEnd';
    this.close = close;
  }
}

/** A right that is new lasts longer: what ended after so long is asked for once more. */
const provenMs = 60_000;

/** Whether asking once more may help. */
export function isOver({ code, openMs }: StreamClose): boolean {
  return code === closeCodes.notFound || (code === closeCodes.ended && openMs < provenMs);
}

/** Why there is no stream any more, as a sentence without its full stop: what happens next may follow. */
export function closeWords({ code, reason }: Pick<StreamClose, 'code' | 'reason'>): string {
  const why = reason.replace(/\.$/, '');
  switch (code) {
    case closeCodes.done:
      return 'It has ended';
    case closeCodes.notFound:
      return `The provider does not have this lease${why === '' ? '' : `: ${why}`}`;
    case closeCodes.ended:
      return `Your access ended${why === '' ? '' : `: ${why}`}`;
    case closeCodes.unavailable:
      return why === '' ? 'The provider cannot reach its cluster at the moment' : sentenceCase(why);
    case closeCodes.limit:
      return why === '' ? 'It ran into a limit of the provider' : sentenceCase(why);
    case closeCodes.internal:
      return `The provider’s gateway failed${why === '' ? '' : `: ${why}`}`;
    default:
      return 'The connection was lost';
  }
}
