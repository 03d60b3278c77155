/** The cost of each room, each layer and the whole model, as counted in the run. */

import { scale } from '../lib/color.js'
import { costsByRoom, grouped, together } from '../lib/costs.js'
import { following, h } from '../lib/dom.js'
import { grid } from '../lib/grid.js'
import { storeyOf } from '../lib/ablation_parts.js'
import { pictureOf } from '../lib/picture.js'
import { ownName } from '../lib/room_name.js'

/** @import { Costs, Mount, Room, Run, Stage, View } from '../types.d.ts' */
/** @import { GridCell, Line } from '../lib/grid.js' */
/** @import { Sum } from '../lib/costs.js' */

export const id = 'costs'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

const COLUMNS = /** @type {const} */ (['parameters', 'multiplyAdds', 'bytes'])

/** @param {Run} run @param {View} view */
export const data = (run, { rooms }) => ({ run, rooms })

/** @type {Stage['picture']} */
export const picture = (run, view) => pictureOf(run, view.room.parts.out)

/**
 * The rooms that cost something, by where they are.
 * @param {Room[]} rooms @param {Map<string, Sum>} sums
 */
export function costsByLayer(rooms, sums) {
  /** @type {Map<string, Room[]>} */ const places = new Map()
  for (const room of rooms.filter(one => sums.has(one.id))) {
    const place = `${room.tower} ${room.layer}`
    places.set(place, [...places.get(place) ?? [], room])
  }
  return [...places.values()]
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, ask, theme, fails, href, enter } = context
  const table = grid(container, t('stages.costs.name'), t)
  container.append(h('p', { className: 'note' }, t('stages.costs.note')))
  /** @type {Run | null} */ let latest = null

  /** @param {Sum} sum @param {Sum | null} max @returns {GridCell[]} */
  const cells = (sum, max) => COLUMNS.map(name => ({
    text: grouped(sum[name]),
    color: max && scale({ kind: 'probability', min: 0, max: max[name] || 1 }, theme().mode).at(sum[name])
  }))
  /** @param {Room} room */
  const door = room => h('a', { href: href(room.id), onclick: following(() => enter(room.id)) }, ownName(room, t))
  /** @param {Run} run @param {Room[]} rooms @param {Costs} costs */
  function draw(run, rooms, costs) {
    const sums = costsByRoom(run, rooms, costs)
    /** @param {Room} room */
    const of = ({ id: room }) => /** @type {Sum} */ (sums.get(room))
    const all = [...sums.values()]
    const max = /** @type {Sum} */ (Object.fromEntries(
      COLUMNS.map(name => [name, Math.max(...all.map(one => one[name]))])))
    const rest = sums.get('')
    table.update(t('stages.costs.corner'), COLUMNS.map(name => t(`stages.costs.${name}`)), [
      { key: 'all', head: t('stages.costs.all'), isTitle: true, cells: cells(together(all), null) },
      ...costsByLayer(rooms, sums).flatMap((list, i) => /** @type {Line[]} */ ([
        { key: `storey ${i}`, head: storeyOf(/** @type {any} */ (list[0]), t) || t('map.model'), isTitle: true,
          cells: cells(together(list.map(of)), null) },
        ...list.map(room => ({ key: room.id, head: door(room), level: 1, cells: cells(of(room), max) }))
      ])),
      ...(rest ? [{ key: '', head: t('stages.costs.rest'), cells: cells(rest, null) }] : [])
    ])
  }
  return {
    update({ run, rooms }) {
      latest = run
      table.element.setAttribute('aria-busy', 'true')
      ask('costs', {}).then(costs => {
        if (latest !== run) return
        draw(run, rooms, costs)
        table.element.setAttribute('aria-busy', 'false')
      }).catch(fails)
    },
    mark() {},
    destroy() {
      latest = null
    }
  }
}
