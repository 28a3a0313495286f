import { type ReactNode, useEffect, useState } from 'react';
import { NowContext, useLive } from './use-live.ts';

/** One tick for every age on the page: hundreds of them are drawn again together, not one by one. */
export function NowProvider({ children }: { readonly children: ReactNode }) {
  const { clockOffsetMs } = useLive();
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return <NowContext value={Date.now() + clockOffsetMs}>{children}</NowContext>;
}
