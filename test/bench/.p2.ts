import { openSandbox } from '../../src/sandbox/open.ts';
const started = Date.now();
const clock = { now: () => started + (Date.now() - started) * 10_000 };
const H={authorization:'Bearer sandbox_owner'};
for (const limits of [true,false]) {
const s = await openSandbox({ file: '/tmp/prof/p2.db', clock, limits });
const call=(url:string)=>s.service({method:'GET',url,headers:H});
const me=JSON.parse((await call('/users/me')).body).resource.uri;
const list=`http://127.0.0.1:4010/scheduled_events?user=${encodeURIComponent(me)}&count=20`;
const ev=JSON.parse((await call(list)).body).collection[0].uri;
for (const [n,u] of [['one',ev],['page',list]] as const){ for(let i=0;i<2000;i++) await call(u); const b=process.hrtime.bigint(); for(let i=0;i<10000;i++) await call(u); console.log(limits,n,Number(process.hrtime.bigint()-b)/10000/1000,'us');}
s.close();}
