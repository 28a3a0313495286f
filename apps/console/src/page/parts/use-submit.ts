import { type SyntheticEvent, useState } from 'react';
import { ApiError } from '../api/api-error.ts';

interface Submitting {
  readonly submit: (event: SyntheticEvent) => void;
  readonly isBusy: boolean;
  /** Why it was not done, for people. */
  readonly problem: string | undefined;
}

/** What a form does when it is sent: `act`, once at a time and only when it is ready. After it is done the form is gone; after a failure it may be sent again. */
export function useSubmit(isReady: boolean, act: () => Promise<unknown>): Submitting {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!isReady || isBusy) return;
    setBusy(true);
    act().catch((thrown: unknown) => {
      setProblem(ApiError.from(thrown).message);
      setBusy(false);
    });
  };
  return { submit, isBusy, problem };
}
