import { StatusError } from '@quartermaster/kernel';
import { type KindName, kindTitles } from './kind-rules.ts';

/** Objects of one kind that refer to another one. */
export interface Users {
  readonly kind: KindName;
  /** A few of them, for the message. */
  readonly ids: readonly string[];
  readonly count: number;
}

/** The refusal to delete what others refer to; undefined when nobody does. */
export function inUseError(kind: KindName, id: string, users: readonly Users[]): StatusError | undefined {
  const present = users.filter(({ count }) => count > 0);
  if (present.length === 0) return undefined;
  const list = present.map((user) => {
    const more = user.count > user.ids.length ? ' and others' : '';
    return `${user.count} ${user.count === 1 ? kindTitles[user.kind] : user.kind.replace('_', ' ')} (${user.ids.join(', ')}${more})`;
  });
  return new StatusError(
    'failed_precondition',
    `${kindTitles[kind]} "${id}" is in use by ${list.join(' and ')}: change or delete those first`,
    {
      details: { reason: 'IN_USE', users: present },
    },
  );
}
