// The transfers pane: what is under its cursor, and what it is asking.

import ChatCore

/// The state of the transfers overlay.
struct TransfersPane: Sendable, Equatable {
    /// A transfer of the group under the cursor, so that news cannot move the cursor to another one.
    var selected: TransferNumber?
    var filter = ListFilter()
    /// x was pressed once on this transfer.
    var confirmingCancel: TransferNumber?
    /// Enter: everything about the selected one instead of the list.
    var showsDetails = false
    /// The first row of the details that is seen.
    var detailsTop = 0
    /// L: the rate that is being typed for the selected one.
    var limit: InputLine?
}
