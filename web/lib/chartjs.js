/** Chart.js with the parts that curves and bars need; imported lazily, since it takes a while to set up. */

import {
  BarController, BarElement, CategoryScale, Chart, LinearScale, LineController, LineElement, PointElement
} from 'chart.js'

Chart.register(BarController, BarElement, CategoryScale, LinearScale, LineController, LineElement, PointElement)

export { Chart }
