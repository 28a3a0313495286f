import type { FieldViolation } from '@quartermaster/kernel';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import type { ApiObject } from '../api/api-object.ts';
import { type ApiCall, callApi } from '../api/call-api.ts';
import { kindPath, type ObjectKind, objectPath } from '../api/object-kind.ts';
import { objectKey } from '../api/use-object.ts';
import { useSession } from '../session/session.ts';
import { type DraftPath, draftOf, draftValue, fieldPath, isSameValue, maskPath, withDraftValue } from './draft.ts';

export interface ObjectFormOptions<T extends ApiObject> {
  readonly kind: ObjectKind;
  /** What is edited; a new object without one. */
  readonly object?: T | undefined;
  /** Everything that the form can change: the mask of an update is cut from it. */
  readonly paths: readonly DraftPath[];
  /** Those of them that begin empty, and stay what they are when they are left empty. */
  readonly secrets?: readonly DraftPath[] | undefined;
  readonly onSaved: (object: T) => void;
}

export interface ObjectForm {
  readonly kind: ObjectKind;
  readonly isNew: boolean;
  readonly value: (path: DraftPath) => unknown;
  readonly set: (path: DraftPath, value: unknown) => void;
  /** What the API says against the field, once the person has been there. */
  readonly problemOf: (field: string) => string | undefined;
  readonly touch: (field: string) => void;
  /** What the API says that belongs to none of the fields that were asked for. */
  readonly problem: ApiError | undefined;
  readonly isBusy: boolean;
  readonly isChanged: boolean;
  readonly submit: () => void;
}

/** A pause in typing, after which the API is asked what it thinks of it. */
const checkDelayMs = 350;

/** A form whose rules are the API's own: what is typed is checked by dry runs, and what is refused stands beside its field. */
export function useObjectForm<T extends ApiObject>(options: ObjectFormOptions<T>): ObjectForm {
  const session = useSession();
  const queries = useQueryClient();
  const { kind, object, paths, secrets = [], onSaved } = options;
  // The form stays with what it began with, whatever happens to the object meanwhile.
  const [first] = useState(() => draftOf({ ...object }, object === undefined ? [] : paths.filter((path) => !secrets.includes(path))));
  const [draft, setDraft] = useState(first);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [refusal, setRefusal] = useState<ApiError>();
  const [isSubmitted, setSubmitted] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const id = object?.id;
  const [version] = useState(object?.metadata.version ?? '0');
  const changed = useMemo(
    () => paths.filter((path) => !isSameValue(draftValue(first, path), draftValue(draft, path))),
    [paths, first, draft],
  );
  const isChanged = changed.length > 0;

  const send = useCallback(
    async (call: Pick<ApiCall, 'isDryRun' | 'signal'>): Promise<T> => {
      if (id === undefined) return await callApi<T>(kindPath(session, kind), { method: 'POST', body: draft, ...call });
      const metadata = draftValue(draft, 'metadata');
      return await callApi<T>(objectPath(session, kind, id), {
        method: 'PATCH',
        // Refused when somebody was faster. A path that the draft does not have is cleared.
        query: { update_mask: changed.map(maskPath).join(','), lock: true },
        body: withDraftValue(draft, 'metadata', { ...(metadata as object | undefined), version }),
        ...call,
      });
    },
    [session, kind, id, version, draft, changed],
  );

  useEffect(() => {
    if (!isChanged) {
      setRefusal(undefined);
      return;
    }
    // What is being saved is checked by that; what has been saved is no longer what the draft began with.
    if (isBusy) return;
    const ending = new AbortController();
    const timer = window.setTimeout(() => {
      send({ isDryRun: true, signal: ending.signal }).then(
        () => setRefusal(undefined),
        (thrown: unknown) => {
          if (!ending.signal.aborted) setRefusal(ApiError.from(thrown));
        },
      );
    }, checkDelayMs);
    return () => {
      window.clearTimeout(timer);
      ending.abort();
    };
  }, [send, isChanged, isBusy]);

  const known = useRef(new Set<string>());
  const problemOf = (field: string): string | undefined => {
    known.current.add(field);
    if (!isSubmitted && !touched.has(field)) return undefined;
    const here = refusal?.violations.filter((violation) => isAt(violation, field)) ?? [];
    return here.length === 0 ? undefined : here.map(({ description }) => description).join('; ');
  };
  const submit = (): void => {
    setSubmitted(true);
    if (isBusy) return;
    setBusy(true);
    send({}).then(
      (saved) => {
        void queries.invalidateQueries({ queryKey: objectKey(kind, saved.id) });
        onSaved(saved);
      },
      (thrown: unknown) => {
        setRefusal(ApiError.from(thrown));
        setBusy(false);
      },
    );
  };
  const isElsewhere = refusal?.violations.every((violation) => ![...known.current].some((field) => isAt(violation, field))) ?? false;
  return {
    kind,
    isNew: id === undefined,
    value: (path) => draftValue(draft, path),
    set: (path, value) => setDraft((before) => withDraftValue(before, path, value)),
    problemOf,
    touch: (field) => setTouched((before) => (before.has(field) ? before : new Set(before).add(field))),
    problem: isSubmitted && isElsewhere ? refusal : undefined,
    isBusy,
    isChanged,
    submit,
  };
}

/** Whether a violation is about the field or about something within it. */
function isAt({ field }: FieldViolation, path: string): boolean {
  const [at, wanted] = [fieldPath(field), fieldPath(path)];
  return at === wanted || at.startsWith(`${wanted}.`);
}
