/** The cost of each room, each layer and the whole model, as counted in the run. */

import { formatInteger } from '../lib/number.js'
import { createScale } from '../lib/color.js'
import { costsByRoom, addCosts } from '../lib/costs.js'
import { handleInternalClick, h } from '../lib/dom.js'
import { mountGrid } from '../lib/grid.js'
import { layerHeading } from '../lib/ablation_parts.js'
import { createPicture } from '../lib/picture.js'
import { roomName } from '../lib/room_name.js'

/** @import { Costs, Mount, Room, Run, Stage, View } from '../types.d.ts' */
/** @import { GridCell, Line } from '../lib/grid.js' */
/** @import { Sum } from '../lib/costs.js' */

export const id = 'costs'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

const COLUMNS = /** @type {const} */ (['parameters', 'multiplyAdds', 'bytes'])

/** @param {Run} run @param {View<'costs'>} view */
export const data = (run, { rooms }) => ({ run, rooms })

/** @type {Stage<'costs'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.out)

/**
 * The rooms with costs, grouped by tower and layer.
 * @param {Room[]} rooms @param {Map<string, Sum>} sums
 */
export function costsByLayer(rooms, sums) {
  /** @type {Map<string, Room[]>} */ const layers = new Map()
  for (const room of rooms.filter(room => sums.has(room.id))) {
    const layer = `${room.tower} ${room.layer}`
    layers.set(layer, [...layers.get(layer) ?? [], room])
  }
  return [...layers.values()]
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, runQuery, theme, reportError, href, enterRoom: enter } = context
  const table = mountGrid(container, t('stages.costs.name'), t)
  container.append(h('p', { className: 'note' }, t('stages.costs.note')))
  /** @type {Run | null} */ let latest = null

  /** @param {Sum} sum @param {Sum | null} max @returns {GridCell[]} */
  const cells = (sum, max) => COLUMNS.map(name => ({
    text: formatInteger(sum[name]),
    color: max && createScale({ kind: 'probability', min: 0, max: max[name] || 1 }, theme().mode).at(sum[name])
  }))
  /** @param {Room} room */
  const linkTo = room => h('a', { href: href(room.id), onclick: handleInternalClick(() => enter(room.id)) }, roomName(room, t))
  /** @param {Run} run @param {Room[]} rooms @param {Costs} costs */
  function draw(run, rooms, costs) {
    const sums = costsByRoom(run, rooms, costs)
    /** @param {Room} room */
    const sumOf = ({ id: room }) => /** @type {Sum} */ (sums.get(room))
    const all = [...sums.values()]
    const max = /** @type {Sum} */ (Object.fromEntries(
      COLUMNS.map(name => [name, Math.max(...all.map(item => item[name]))])))
    const rest = sums.get('')
    table.update(t('stages.costs.corner'), COLUMNS.map(name => t(`stages.costs.${name}`)), [
      { key: 'all', head: t('stages.costs.all'), isTitle: true, cells: cells(addCosts(all), null) },
      ...costsByLayer(rooms, sums).flatMap((list, i) => /** @type {Line[]} */ ([
        { key: `storey ${i}`, head: layerHeading(/** @type {any} */ (list[0]), t) || t('map.model'), isTitle: true,
          cells: cells(addCosts(list.map(sumOf)), null) },
        ...list.map(room => ({ key: room.id, head: linkTo(room), level: 1, cells: cells(sumOf(room), max) }))
      ])),
      ...(rest ? [{ key: '', head: t('stages.costs.rest'), cells: cells(rest, null) }] : [])
    ])
  }
  return {
    update({ run, rooms }) {
      latest = run
      table.element.setAttribute('aria-busy', 'true')
      runQuery('costs', {}).then(costs => {
        if (latest !== run) return
        draw(run, rooms, costs)
        table.element.setAttribute('aria-busy', 'false')
      }).catch(reportError)
    },
    mark() {},
    destroy() {
      latest = null
    }
  }
}
