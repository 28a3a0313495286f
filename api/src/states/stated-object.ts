import type { State } from './state.ts';

/** What of an object its state is told by, by the names of the contract. What the caller may not see is absent. */
export interface StatedObject {
  readonly metadata?: { readonly deletion_timestamp?: string | undefined } | undefined;
  readonly status?: { readonly state?: string | undefined; readonly conditions?: readonly StatedCondition[] | undefined } | undefined;
}

export interface StatedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  /** Tenants get none. */
  readonly message?: string | undefined;
}

/** The state of everything that is on its way out, whatever else it is. Undefined for what stays. */
export const deletionState = ({ metadata }: StatedObject): State | undefined =>
  metadata?.deletion_timestamp === undefined ? undefined : { word: 'Being deleted', tone: 'held' };

export const isTrue = ({ status }: StatedCondition): boolean => status === 'CONDITION_STATUS_TRUE';
