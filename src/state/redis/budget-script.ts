import { rules } from '../budget.ts';

/*
 * The rules of `budget.ts` and the steps of `budget-steps.ts` in Lua, because Redis runs a script as one atomic step. Functions have the same names.
 * A test compares both on random states and steps.
 *
 *   KEYS[1]  the budget         ARGV[1]  the step, with the server's times
 *                               ARGV[2]  the lengths of the windows
 *                               ARGV[3]  after how many milliseconds an untouched budget expires
 *
 * The result is the server's time and the result of the step, as JSON.
 */
export const budgetScript = `
local none = cjson.null
local step = cjson.decode(ARGV[1])
local lengths = cjson.decode(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function isNone(value) return value == nil or value == none end

local function filter(list, keep)
  local kept = {}
  for _, item in ipairs(list) do
    if keep(item) then kept[#kept + 1] = item end
  end
  return kept
end

local function find(list, holder)
  for index, item in ipairs(list) do
    if item.holder == holder then return item, index end
  end
end

local function without(list, holder)
  return filter(list, function(item) return item.holder ~= holder end)
end

local function emptyState()
  local windows = {}
  for index, length in ipairs(lengths) do
    windows[index] = { length = length, limit = none, opened = 0, ['end'] = 0, isSure = false, used = 0 }
  end
  return { version = 1, windows = windows, told = 'nothing', closedUntil = 0, leases = {}, waiting = {} }
end

local function isOpen(window) return window.opened ~= 0 and now < window['end'] end

local function isSane(state)
  if type(state) ~= 'table' or state.version ~= 1 or #state.windows ~= #lengths then return false end
  if type(state.leases) ~= 'table' or type(state.waiting) ~= 'table' then return false end
  for _, window in ipairs(state.windows) do
    if window.opened > now + window.length or window['end'] > now + ${rules.longestMs} then return false end
  end
  return state.closedUntil <= now + ${rules.longestMs}
end

local function open(window, opened, ending, isSure, used)
  window.opened = opened
  window['end'] = ending
  window.isSure = isSure
  window.used = used
end

local function current(text)
  if not text then return emptyState() end
  local isJson, state = pcall(cjson.decode, text)
  local isChecked, isGood = pcall(isSane, state)
  if not (isJson and isChecked and isGood) then return emptyState() end
  state.waiting = filter(state.waiting, function(waiter) return waiter['until'] + ${rules.lateMs} > now end)
  if state.probe and state.probe['until'] <= now then state.probe = nil end
  for _, window in ipairs(state.windows) do
    if window.opened ~= 0 and now >= window['end'] then open(window, 0, 0, false, 0) end
  end
  return state
end

local function blockOf(left, rest, most)
  if rest < ${rules.closingMs} then return 1 end
  return math.min(most, math.max(1, math.min(${rules.largestBlock}, math.floor(left / ${rules.sharers}))))
end

local function shareOf(state, holder, left)
  local due = filter(state.waiting, function(waiter) return waiter['until'] <= now end)
  local _, place = find(due, holder)
  if not place then return left - #due end
  if left >= place then return math.max(1, left - #due + 1) end
  return 0
end

local function grant(state)
  local holder, pace = step.holder, step.pace
  if state.closedUntil > now then return { ['until'] = state.closedUntil, why = 'limit' } end
  local isPaced = not isNone(pace) and state.told == 'nothing'
  if isPaced and state.probe then
    return { ['until'] = state.probe['until'], why = state.probe.holder == holder and 'own probe' or 'probe' }
  end
  local function refusal(ending)
    if isPaced then return { ['until'] = ending, why = 'pace', perMinute = pace } end
    return { ['until'] = ending, why = 'limit' }
  end
  if step.isBackground and #state.waiting > 0 then return refusal(now + ${rules.returnMs}) end
  local function limitOf(window)
    if not isNone(window.limit) then return window.limit end
    return isPaced and pace or math.huge
  end
  local full
  for _, window in ipairs(state.windows) do
    if window.used >= limitOf(window) then full = math.max(full or 0, window['end']) end
  end
  if full then return refusal(full) end

  local before = state.windows[1].opened
  local carried = #filter(state.leases, function(lease) return lease.opened ~= before end)
  for _, window in ipairs(state.windows) do
    if not isOpen(window) then
      open(window, now, now + window.length + (isPaced and 0 or ${rules.replyMs}), false, carried)
    end
  end
  local first = state.windows[1]
  state.leases = filter(state.leases, function(lease) return lease.opened == first.opened end)
  local left = math.huge
  for _, window in ipairs(state.windows) do left = math.min(left, limitOf(window) - window.used) end
  if step.isBackground and left <= limitOf(first) / 2 then return refusal(first['end']) end
  local share = shareOf(state, holder, left)
  if share <= 0 then return refusal(first['end']) end
  local permits = isPaced and 1 or math.min(share, blockOf(left, first['end'] - now, step.most))
  if isPaced then state.probe = { holder = holder, ['until'] = now + step.probeMs } end
  for _, window in ipairs(state.windows) do window.used = window.used + permits end
  state.leases = without(state.leases, holder)
  table.insert(state.leases, { holder = holder, permits = permits, opened = first.opened })
  state.waiting = without(state.waiting, holder)
  return { permits = permits, ['end'] = isNone(first.limit) and now + ${rules.looseMs} or first['end'] }
end

local function described(state, told)
  for _, window in ipairs(state.windows) do
    if told.resetMs <= window.length + ${rules.roundingMs} then return window end
  end
  return state.windows[#state.windows]
end

local function isOpenAt(window, at) return window.opened ~= 0 and at < window['end'] end

local function learn(state, told, facts)
  local window = described(state, told)
  local seen = told.limit - told.remaining
  local ending = facts.now + told.resetMs
  state.told = 'limit'
  window.limit = told.limit
  local isNewer = not isOpenAt(window, facts.now)
    or (window.isSure and facts.sentAt - (facts.doubtMs or 0) + told.resetMs > window['end'] + ${rules.roundingMs})
  if isNewer then
    local others = #without(state.leases, facts.holder)
    return open(window, facts.sentAt, ending, true, seen + facts.unused + others)
  end
  if facts.sentAt < window.opened then return end
  window['end'] = window.isSure and math.min(window['end'], ending) or ending
  window.isSure = true
  window.used = math.max(window.used, seen + facts.unused)
end

local function settle(state, facts)
  if state.probe and state.probe.holder == facts.holder then state.probe = nil end
  local least = isNone(facts.least) and 0 or facts.least
  for _, window in ipairs(state.windows) do
    if not isNone(window.limit) and window.limit < least then window.limit = none end
  end
  if not isNone(facts.told) then learn(state, facts.told, facts) end
  if not isNone(facts.closedMs) then state.closedUntil = math.max(state.closedUntil, facts.now + facts.closedMs) end
  local lease = find(state.leases, facts.holder)
  if not lease then return end
  state.leases = without(state.leases, facts.holder)
  if facts.unused > 0 then
    lease.permits = facts.unused
    table.insert(state.leases, lease)
  end
end

local function tell(state, unused)
  if isNone(step.news) then return end
  local news = step.news
  settle(state, {
    holder = step.holder, sentAt = news.sentAt, doubtMs = news.doubtMs, now = news.now, told = news.told,
    unused = unused,
  })
end

local function applyPlan(state, limits, isNews)
  if isNews then
    for _, window in ipairs(state.windows) do window.limit = none end
    state.closedUntil = 0
  end
  local least = 0
  for _, window in ipairs(state.windows) do
    least = math.max(least, (isNone(window.limit) and 0 or window.limit) - window.used)
  end
  for index, window in ipairs(state.windows) do
    local limit = limits[index]
    if isNone(window.limit) and not isNone(limit) and limit >= least then window.limit = limit end
  end
end

local function release(state, holder, unused)
  local lease = find(state.leases, holder)
  if lease and lease.opened == state.windows[1].opened then
    for _, window in ipairs(state.windows) do window.used = math.max(0, window.used - unused) end
  end
  state.leases = without(state.leases, holder)
  state.waiting = without(state.waiting, holder)
  if state.probe and state.probe.holder == holder then state.probe = nil end
end

local function queue(state)
  local waiter, place = find(state.waiting, step.holder)
  if waiter then
    waiter['until'] = step['until']
  else
    table.insert(state.waiting, {
      holder = step.holder, pid = step.pid, host = step.host, since = now, ['until'] = step['until'],
    })
    place = #state.waiting
  end
  return math.floor((place - 1) * math.min(${rules.slotMs}, ${rules.returnMs} / #state.waiting) + 0.5)
end

local steps = {
  take = function(state)
    tell(state, 0)
    local granted = grant(state)
    if state.probe and state.probe.holder == step.holder then state.probe.pid = step.pid end
    return granted
  end,
  settle = function(state)
    if step.surplus > 0 then release(state, step.holder, step.surplus) end
    settle(state, step)
  end,
  release = function(state)
    tell(state, step.unused)
    release(state, step.holder, step.unused)
  end,
  queue = queue,
  plan = function(state) applyPlan(state, step.limits, step.isNews) end,
}

local state = current(redis.call('GET', KEYS[1]))
local result = steps[step['do']](state)
redis.call('SET', KEYS[1], cjson.encode(state), 'PX', ARGV[3])
return { now, cjson.encode(result == nil and none or result) }
`;

/** Reads a budget. The result is the server's time and the stored state, as JSON. */
export const readScript = `
local time = redis.call('TIME')
return { time[1] * 1000 + math.floor(time[2] / 1000), redis.call('GET', KEYS[1]) or '' }
`;
