import { type SelectionTree, withIdentity } from '../objects/field-selection.ts';
import type { KubeObject } from '../objects/objects.ts';
import type { KubeStatus } from '../transport/failure-from-answer.ts';
import { JsonPicker } from './json-picker.ts';
import { parseLean } from './lean-json.ts';

export interface DecodedList {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubeObject[] | null;
}

export interface DecodedEvent {
  readonly type: string;
  readonly object: KubeObject | KubeStatus;
}

/** Reads what lists and watches answer. Text that is no JSON throws a SyntaxError. */
export interface AnswerDecoder {
  list(body: Buffer): DecodedList;
  event(line: Buffer): DecodedEvent;
}

const wholeObjects: AnswerDecoder = {
  list: (body) => parseLean(body) as DecodedList,
  event: (line) => parseLean(line) as DecodedEvent,
};

/** Objects come with the identity and the selected fields, or with all but their managedFields. */
export function answerDecoder(selection: SelectionTree): AnswerDecoder {
  if (selection === true) return wholeObjects;
  const object = withIdentity(selection);
  const lists = new JsonPicker({ metadata: true, items: object });
  const events = new JsonPicker({ type: true, object });
  return {
    list: (body) => lists.parse(body) as DecodedList,
    event: (line) => {
      const event = events.parse(line) as DecodedEvent;
      // The object of an error is a Status, which has none of the selected fields.
      return event.type === 'ERROR' ? (JSON.parse(line.toString('utf8')) as DecodedEvent) : event;
    },
  };
}
