import { describeTradingOutage } from './trading-outage.ts';

describeTradingOutage({ of: 'provider', halt: (site) => site.killProvider(), resume: (site) => site.startProvider() });
