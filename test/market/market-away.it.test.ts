import { describeTradingOutage } from './trading-outage.ts';

describeTradingOutage({ of: 'market', halt: (site) => site.killMarket(), resume: (site) => site.startMarket() });
